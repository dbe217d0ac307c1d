// SPDX-License-Identifier: MIT
#include "model/model_keys.h"

#define LARGEST_NUMBER 1e9  // sizes beyond it are a mistake of units

#define TABLE(variable, object_name, object_place, keys)               \
  const JsonKeys variable = {.object = object_name,                    \
                             .place = object_place,                    \
                             .key = keys,                              \
                             .n = (int)(sizeof keys / sizeof keys[0]), \
                             .largest = LARGEST_NUMBER}

// name, types, count, rule, unit, default, what, example
static const JsonKey robot[] = {
    {"name", JSON_STRING, 0, JSON_ANY, "", "robot", "name of the robot", "\"arm\""},
    {"gravity", JSON_ARRAY, 3, JSON_ANY, "m/s^2", "[0, 0, -9.81]",
     "acceleration of free fall in the world frame (z up)", "[0, 0, -9.81]"},
    {"bodies", JSON_ARRAY, 0, JSON_ANY, "", NULL, "all bodies, the root (world) among them",
     "[{\"name\": \"base\"}, {\"name\": \"link\", \"mass\": 1}]"},
    {"joints", JSON_ARRAY, 0, JSON_ANY, "", NULL, "the joints of the tree, in any order",
     "[{\"name\": \"q1\", \"type\": \"revolute\", \"parent\": \"base\", \"child\": \"link\"}]"},
    {"frames", JSON_ARRAY, 0, JSON_ANY, "", "[]", "named places on bodies, e.g. the end effector",
     "[{\"name\": \"tip\", \"body\": \"hand\", \"xyz\": [0.1, 0, 0]}]"},
    {"poses", JSON_OBJECT, 0, JSON_ANY, "rad | m", "{}",
     "named postures: joint positions by name, joints not named are at 0",
     "{\"start\": {\"q2\": 0.4}}"},
    {"loops", JSON_ARRAY, 0, JSON_ANY, "", "[]",
     "joints that close loops of the tree, kept as constraints between frames on two bodies",
     "[{\"name\": \"pin\", \"type\": \"revolute\", \"first\": {\"body\": \"coupler\"}, \"second\": "
     "{\"body\": \"rocker\"}}]"},
    {"planar", JSON_ARRAY, 3, JSON_ANY, "", "",
     "normal of the plane that a planar mechanism moves in: loops leave out the constraints that "
     "planar motion keeps anyway",
     "[0, 1, 0]"},
};

static const JsonKey body[] = {
    {"name", JSON_STRING, 0, JSON_ANY, "", NULL, "name of the body", "\"forearm\""},
    {"mass", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "kg", "0", "mass", "2.5"},
    {"com", JSON_ARRAY, 3, JSON_ANY, "m", "[0, 0, 0]", "centre of mass in the body frame",
     "[0.1, 0, 0]"},
    {"inertia", JSON_ARRAY | JSON_OBJECT, 0, JSON_ANY, "kg m^2", "",
     "inertia about the centre of mass: diagonal, 3x3, or ixx iyy izz ixy ixz iyz; none is a point "
     "mass",
     "[0.06, 0.1, 0.1]"},
    {"inertia_rpy", JSON_ARRAY, 3, JSON_ANY, "rad", "[0, 0, 0]",
     "roll pitch yaw of the inertia's axes in the body frame", "[0, 0, 1.5707963267948966]"},
};

static const JsonKey inertia[] = {
    {"ixx", JSON_NUMBER, 0, JSON_ANY, "kg m^2", NULL, "moment about the x axis", "0.06"},
    {"iyy", JSON_NUMBER, 0, JSON_ANY, "kg m^2", NULL, "moment about the y axis", "0.1"},
    {"izz", JSON_NUMBER, 0, JSON_ANY, "kg m^2", NULL, "moment about the z axis", "0.1"},
    {"ixy", JSON_NUMBER, 0, JSON_ANY, "kg m^2", "0",
     "off-diagonal element of the tensor (minus the product of inertia, as URDF)", "0"},
    {"ixz", JSON_NUMBER, 0, JSON_ANY, "kg m^2", "0", "off-diagonal element of the tensor", "0"},
    {"iyz", JSON_NUMBER, 0, JSON_ANY, "kg m^2", "0", "off-diagonal element of the tensor", "0"},
};

static const JsonKey joint[] = {
    {"name", JSON_STRING, 0, JSON_ANY, "", NULL, "name of the joint and of its coordinate",
     "\"q1\""},
    {"type", JSON_STRING, 0, JSON_ANY, "", NULL,
     "revolute, continuous, prismatic, fixed, floating, spherical or planar", "\"revolute\""},
    {"parent", JSON_STRING, 0, JSON_ANY, "", NULL, "name of the body that carries the joint",
     "\"base\""},
    {"child", JSON_STRING, 0, JSON_ANY, "", NULL, "name of the body that the joint moves",
     "\"link\""},
    {"origin", JSON_OBJECT, 0, JSON_ANY, "", "{}",
     "placement of the joint frame (= child frame at 0) in the parent's frame",
     "{\"xyz\": [0.3, 0, 0], \"rpy\": [0, 0, 0]}"},
    {"axis", JSON_ARRAY, 3, JSON_ANY, "", "[1, 0, 0]",
     "direction of rotation or translation in the joint frame; normalised", "[0, 0, 1]"},
    {"actuated", JSON_BOOL, 0, JSON_ANY, "", "false", "whether an actuator drives it", "true"},
    {"limits", JSON_OBJECT, 0, JSON_ANY, "", "{}", "bounds on position, velocity, effort",
     "{\"lower\": -1.5, \"upper\": 1.5, \"effort\": 20}"},
    {"damping", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "N m s/rad | N s/m", "0",
     "viscous damping, force = -damping * velocity", "0.1"},
    {"armature", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "kg m^2 | kg", "0",
     "rotor inertia as seen at the joint", "0.01"},
};

static const JsonKey origin[] = {
    {"xyz", JSON_ARRAY, 3, JSON_ANY, "m", "[0, 0, 0]", "position in the parent's frame",
     "[0.3, 0, 0]"},
    {"rpy", JSON_ARRAY, 3, JSON_ANY, "rad", "[0, 0, 0]",
     "roll pitch yaw about the fixed axes x y z: R = Rz Ry Rx", "[0, 0, 1.5707963267948966]"},
    {"rpy_deg", JSON_ARRAY, 3, JSON_ANY, "deg", "[0, 0, 0]", "the same in degrees", "[0, 0, 90]"},
};

static const JsonKey limits[] = {
    {"lower", JSON_NUMBER, 0, JSON_ANY, "rad | m", "-inf", "least position", "-1.57"},
    {"upper", JSON_NUMBER, 0, JSON_ANY, "rad | m", "inf", "largest position", "1.57"},
    {"lower_deg", JSON_NUMBER, 0, JSON_ANY, "deg", "-inf", "least position in degrees", "-90"},
    {"upper_deg", JSON_NUMBER, 0, JSON_ANY, "deg", "inf", "largest position in degrees", "90"},
    {"velocity", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "rad/s | m/s", "inf", "largest speed", "3"},
    {"effort", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "N m | N", "inf", "largest torque or force",
     "20"},
    {"effort_rate", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "N m/s | N/s", "inf",
     "largest rate of change of torque or force", "500"},
};

static const JsonKey frame[] = {
    {"name", JSON_STRING, 0, JSON_ANY, "", NULL, "name of the frame", "\"tip\""},
    {"body", JSON_STRING, 0, JSON_ANY, "", NULL, "name of the body that carries it", "\"hand\""},
    {"xyz", JSON_ARRAY, 3, JSON_ANY, "m", "[0, 0, 0]", "position in the body frame", "[0.1, 0, 0]"},
    {"rpy", JSON_ARRAY, 3, JSON_ANY, "rad", "[0, 0, 0]",
     "roll pitch yaw in the body frame: R = Rz Ry Rx", "[0, 0, 0]"},
    {"rpy_deg", JSON_ARRAY, 3, JSON_ANY, "deg", "[0, 0, 0]", "the same in degrees", "[0, 0, 90]"},
};

static const JsonKey loop[] = {
    {"name", JSON_STRING, 0, JSON_ANY, "", NULL, "name of the loop", "\"pin\""},
    {"type", JSON_STRING, 0, JSON_ANY, "", NULL,
     "revolute, spherical, universal, prismatic, weld or distance", "\"revolute\""},
    {"first", JSON_OBJECT, 0, JSON_ANY, "", NULL, "frame on one of the two bodies",
     "{\"body\": \"coupler\", \"xyz\": [0.4, 0, 0]}"},
    {"second", JSON_OBJECT, 0, JSON_ANY, "", NULL, "frame on the other body",
     "{\"body\": \"rocker\", \"xyz\": [0.3, 0, 0]}"},
    {"distance", JSON_NUMBER, 0, JSON_NOT_NEGATIVE, "m", "0",
     "of type distance: how far apart the two origins stay", "0.25"},
    {"rows", JSON_ARRAY, 0, JSON_ANY, "", "",
     "only these of its constraints, where the others follow from the rest of an overconstrained "
     "mechanism: x, y, z, rx, ry, rz, zz",
     "[\"x\", \"z\", \"ry\"]"},
};

static const JsonKey loop_frame[] = {
    {"body", JSON_STRING, 0, JSON_ANY, "", NULL,
     "name of the body that carries it, or of a frame it starts from", "\"coupler\""},
    {"xyz", JSON_ARRAY, 3, JSON_ANY, "m", "[0, 0, 0]", "position in the body frame", "[0.4, 0, 0]"},
    {"rpy", JSON_ARRAY, 3, JSON_ANY, "rad", "[0, 0, 0]",
     "roll pitch yaw in the body frame: R = Rz Ry Rx", "[0, 0, 0]"},
    {"rpy_deg", JSON_ARRAY, 3, JSON_ANY, "deg", "[0, 0, 0]", "the same in degrees", "[0, 0, 90]"},
    {"axis", JSON_ARRAY, 3, JSON_ANY, "", "[0, 0, 1]",
     "axis of a revolute, universal or prismatic loop in this frame", "[0, 1, 0]"},
};

TABLE(model_keys_robot, "robot", "", robot);
TABLE(model_keys_body, "body", "bodies[i]", body);
TABLE(model_keys_inertia, "inertia", "bodies[i].inertia", inertia);
TABLE(model_keys_joint, "joint", "joints[i]", joint);
TABLE(model_keys_origin, "origin", "joints[i].origin", origin);
TABLE(model_keys_limits, "limits", "joints[i].limits", limits);
TABLE(model_keys_frame, "frame", "frames[i]", frame);
TABLE(model_keys_loop, "loop", "loops[i]", loop);
TABLE(model_keys_loop_frame, "frame of a loop", "loops[i].first and .second", loop_frame);

const JsonKeys *const model_keys[] = {
    &model_keys_robot, &model_keys_body,   &model_keys_inertia,
    &model_keys_joint, &model_keys_origin, &model_keys_limits,
    &model_keys_frame, &model_keys_loop,   &model_keys_loop_frame};
const int n_model_keys = (int)(sizeof model_keys / sizeof model_keys[0]);
