#!/bin/sh
# SPDX-License-Identifier: MIT
# test_cli_tasks.sh POISE: the commands around a task, from outside: info, check, template, explain, show.
# Runs in the root of the source tree.
poise=$1
root=$PWD
. tests/cli_support.sh

# hopeless MESSAGE ARGS...: exit code 1, says why on stdout
hopeless() {
  message=$1
  shift
  call 1 "$@"
  says "^  hopeless  .*$message"
  says '^not solvable as it stands'
}

silent_about() {
  ! grep -q -- "$1" "$tmp/out" || complain "says \"$1\""
}

# changed TASK SED NAME: a task of tasks/ with a change, as $tmp/NAME.json
changed() {
  sed -e "s#\.\./configs#$root/configs#" -e "$2" "tasks/$1.json" >"$tmp/$3.json"
}

# info: the sizes of the benchmark, for all formulations, with and without smoothing
sizes() {
  for form in $1; do
    ok info tasks/reach_smooth.json --layout paper --formulation "$form" --json
    says "\"nlp\": {\"variables\": $2, \"constraints\": $3, \"jacobian_nonzeros\": $4, \"hessian_nonzeros\": $5[,}]"
    ok info tasks/reach.json --layout paper -f "$form" --json
    says "\"nlp\": {\"variables\": $2, \"constraints\": $3, \"jacobian_nonzeros\": $4, \"hessian_nonzeros\": $(($5 - 396))[,}]"
  done
}
sizes "IMPL SEMI" 8812 8427 72435 39206
sizes "EXP1-O EXP2-O" 6412 6027 62519 35286
sizes "EXP1-A EXP2-A" 8812 8427 69635 35206
for task in $(grep -L '"axes"' tasks/*.json); do
  ok info "$task"
  says 'Hessian nonzeros  *[0-9]'
  says '^memory .* MB, setup .* ms$'
done
ok info tasks/reach_smooth.json -l paper
says '^reach_smooth: IMPL, paper layout, 100 intervals of 0.02 s, radau with 4 points each$'
says 'variables  *8 812$'
says 'over 400 collocation points$'
silent_about 'continuation'
ok info tasks/reach.json
says '396 more while continuation'
refused '--layout: unknown layout "papr"; did you mean paper?' info tasks/reach.json --layout papr
refused '--layout: unknown layout "x"; condensed or paper' info tasks/reach.json --layout x
refused 'is for tasks' info configs/robots/cartpole.json --layout paper
refused 'unknown formulation "EXP9"' info tasks/reach.json -f EXP9

# what a file is depends on its keys, not on its name; a pipe will do
cp tasks/reach.json "$tmp/robot.json"
sed "s#\.\./configs#$root/configs#" "$tmp/robot.json" >"$tmp/robot2.json"
ok info "$tmp/robot2.json"
says '^reach: '
ok info /dev/stdin <configs/robots/cartpole.json
says '^cartpole: 2 joints'
echo '{}' >"$tmp/other.json"
echo '[1]' >"$tmp/array.json"
refused 'other.json: not a robot or a task' check "$tmp/other.json"
refused 'array.json: not a robot or a task' info "$tmp/array.json"

# check: the tasks of the project are fine
for task in $(grep -L '"axes"' tasks/*.json); do
  ok check "$task"
  silent_about '^  hopeless'
  says 'degree of underactuation [0-9]'
  says 'degrees of freedom to optimise'
  ok check "$task" --json
  says '"hopeless": false'
done
ok check tasks/reach.json
says 'degree of underactuation 2$'
says '2 s in 100 intervals, radau of degree 4$'
says '^  q2 .* 19.01 '
says '^  ok .*an equilibrium: the passive joints stay'
says 'actuators can hold it: at most 19.01 N m, at q2'
says '0.6379 m from the base, and the chain carries tip up to 0.7 m'
says '4012 free variables, 3627 equations: 385 degrees of freedom'
says '^nothing stands in the way'
ok check tasks/reach.json --json
says '"underactuation": 2'
says '"reach": 0.7,'
says '"level": "ok", "about": "start"'
says '"equalities": 3627'

# check: notes
changed reach 's/{"inner": true}/{"torque": {"q2": 10}}/' weak
ok check "$tmp/weak.json"
says "note .*can't hold it: q2 would need 19.01 N m, its limits are -10 .. 10"
says '^it may be solvable; see the notes above'
changed reach 's/{"pose": "start"}/{"pose": "start", "q": {"q5": 0.2}}/' tilted
ok check "$tmp/tilted.json"
says 'note .*no equilibrium: passive joint q5 would need .* N m to stay'
changed reach 's/{"pose": "start"}/{"pose": "start", "v": {"q1": 0.2}}/' moving
ok check "$tmp/moving.json"
says 'begins in motion'

# check: hopeless tasks say why, and by how much
changed reach 's/\[0.63, 0, -0.1\]/[0.8, 0, 0]/' far
hopeless '0.1 m out of reach: 0.8 m from the base of the chain, which carries tip 0.7 m' check "$tmp/far.json"
call 1 check "$tmp/far.json" --json
says '"hopeless": true'
says '"level": "hopeless", "about": "goal"'
changed reach 's/\[0.63, 0, -0.1\]/[0.02, 0, -0.1]/' folded
hopeless 'm out of reach within the joint limits' check "$tmp/folded.json"
changed acrobot_swingup 's/"goal": .*/"goal": {"q": {"shoulder": 1, "elbow": 0}},/' falls
hopeless 'no equilibrium, but asked to be one: passive joint shoulder would need 20.6' check "$tmp/falls.json"
changed acrobot_swingup 's/"goal": .*/"goal": {"frame": "tip", "position": {"x": 1.5, "z": 0.2}},/' leans
hopeless 'without "equilibrium" it is within reach' check "$tmp/leans.json"
changed cartpole_swingup 's/"intervals": 100/"intervals": 1/' few
hopeless '20 equations for 17 free variables, 3 too many' check "$tmp/few.json"
changed cartpole_swingup 's/"torque": {"cart": 20}/"velocity": {"cart": 0.2}/' slow
hopeless 'cart has 1 m to go and at most 0.2 m/s: 5 s, not 2 s' check "$tmp/slow.json"

# check: bad tasks
changed reach 's/"tip"/"tpi"/' frame
refused 'frame.json: goal.frame: .*"tpi"' check "$tmp/frame.json"
changed reach 's/"horizon": 2/"horizon": 0/' zero
refused 'zero.json: horizon: 0 s is not above 0' check "$tmp/zero.json"
changed reach 's/"horizon"/"horizn"/' key
refused 'unknown key "horizn"; did you mean "horizon"' info "$tmp/key.json"
changed reach 's/arm_pendulum/nobody/' nobody
refused "can't read robot file" check "$tmp/nobody.json"

# template: every robot gets a task that passes the check; small ones solve
for robot in configs/robots/*.json; do
  name=$(basename "$robot" .json)
  ok template "$root/$robot"
  cp "$tmp/out" "$tmp/$name.json"
  says '"comment": \['
  says '"robot": '
  ok check "$tmp/$name.json"
  ok info "$tmp/$name.json" --json
done
ok template configs/robots/arm_pendulum.json
says '"robot": "configs/robots/arm_pendulum.json"'
says '  q3: revolute, actuated, -1.309 .. 0 rad'
says '  tip, moved by q4'
says '"pose": "start"'
for name in cartpole acrobot arm_pendulum; do
  ok check "$tmp/$name.json"
  says '^nothing stands in the way'
  ok solve "$tmp/$name.json" -o "$tmp/$name.result.json"
done
refused 'this is a task file, not a robot' template tasks/reach.json
refused 'no such file' template "$tmp/none.json"
refused 'template needs ROBOT.json' template
sed '/"actuated": true,/s/"actuated": true,//' configs/robots/cartpole.json >"$tmp/limp.json"
refused 'no joint is actuated' template "$tmp/limp.json"

# explain: what, type, unit, default, example and place, from the tables of the readers
ok explain damping
says '^joints\[i\].damping, in a robot file$'
says 'viscous damping'
says 'type    number, not negative$'
says 'unit    N m s/rad | N s/m$'
says 'default 0$'
says 'example "damping": 0.1$'
cp "$tmp/out" "$tmp/damping"
for word in joints.damping 'joints[2].damping' joint.damping robot.joints.damping; do
  ok explain "$word"
  cmp -s "$tmp/out" "$tmp/damping" || complain "differs from explain damping"
done
ok explain cost.torque_rate
says '^cost.torque_rate, in a task file$'
silent_about 'limits.torque_rate'
ok explain torque_rate
says '^cost.torque_rate'
says '^limits.torque_rate'
ok explain goal
says 'required'
says 'inside  frame, position, pose, q, at_rest, equilibrium$'
ok explain task.limits
says '^limits, in a task file'
silent_about 'robot file'
ok explain comment
says 'any object'
ok explain
for place in 'robot file' 'task file' 'result file' 'at the top' 'joints\[i\].limits' 'cost' 'trajectory.points'; do
  says "^ *$place\$"
done
# every key of the list can be explained
for key in $(sed -n 's/^    \([a-z_]*\) .*/\1/p' "$tmp/out" | sort -u); do
  ok explain "$key"
done
refused "unknown key 'dampng', did you mean damping?" explain dampng
refused "unknown key 'cost.torque_rat', did you mean cost.torque_rate?" explain cost.torque_rat
refused "unknown key 'wonderful', 'poise explain' lists all" explain wonderful
refused "unexpected argument 'b'" explain a b

# show: a result in the terminal
LC_ALL=C ok show "$tmp/arm_pendulum.result.json"
says '^arm_pendulum: solved and verified$'
says '^status  *Solve_Succeeded$'
says '^objective  *[0-9]'
says '^time  *[0-9.]* s: setup'
says '^verification  passed, replayed by EXP'
says 'largest defect of q  *[0-9.e-]* at q[1-6], '
says '^  q2  *0.4111 '
says '^torque'
LC_ALL=C awk '/[\200-\377]/ {exit 1}' "$tmp/out" || complain "is not ASCII in the C locale"
LC_ALL=C.UTF-8 ok show "$tmp/arm_pendulum.result.json"
says '█'
# a failed result does not look like a good one
call 1 solve "$tmp/cartpole.json" --set max_iter=1 -o "$tmp/failed.json"
ok show "$tmp/failed.json"
says '^cartpole: NOT SOLVED$'
says '^status  *Maximum_Iterations_Exceeded'
silent_about 'solved and verified'
ok solve "$tmp/cartpole.json" --no-verify -o "$tmp/unseen.json"
ok show "$tmp/unseen.json"
says 'NOT VERIFIED$'
says '^verification  none'
refused 'this is a task file, not a result' show tasks/reach.json
refused 'this is a robot file, not a result' show configs/robots/cartpole.json
refused 'not a result' show "$tmp/other.json"
refused 'no such file' show "$tmp/none.json"
refused 'this is a result file, not a robot or a task' check "$tmp/unseen.json"
echo '{"status": "Solve_Succeeded", "trajectory": {"time": [0, 1]}}' >"$tmp/hollow.json"
refused 'hollow.json: trajectory' show "$tmp/hollow.json"
echo '{"trajectory": {}}' >"$tmp/bare.json"
refused 'has no "status"' show "$tmp/bare.json"
cat >"$tmp/nan.json" <<'END'
{"status": "Invalid_Number_Detected", "solved": false, "verified": false, "objective": null,
 "iterations": 3, "name": "x\u001b[2J", "verification": null,
 "trajectory": {"joints": ["a"], "actuators": ["a"], "time": [0, 1, 2],
  "q": [[0], [null], [1]], "v": [[null], [null], [null]], "u": [[1], [2]]}}
END
ok show "$tmp/nan.json"
says 'NOT SOLVED$'
says 'no finite value'
says '^x\\x1b\[2J: '
sed 's/\[1\], \[2\]/[1]/' "$tmp/nan.json" >"$tmp/rows.json"
refused 'trajectory.u: has 1 rows, which does not fit 3 nodes' show "$tmp/rows.json"

exit $failures
