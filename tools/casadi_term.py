#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a library of user's terms for tasks (docs/task_format.md, "Terms") with CasADi 3.6 or later.

    python3 tools/casadi_term.py FOLDER

writes FOLDER/cartpole_terms.c, compiles it to FOLDER/cartpole_terms.so with $CC or cc, and writes
FOLDER/cartpole_terms.json, a swing-up of the cart-pole that uses all of its functions:

    power    cost: the size of the mechanical power, |u v|, rounded at zero
    wall     constraint: distance of the pole's tip from a wall that leans with its height
    motion   dynamics: accelerations of the cart-pole, written down by hand

For terms of your own, take add_term and compile_library from here and write your functions with SX symbols
q (nv), v (nv) and u (nu), in the order of the robot's joints and actuators.
"""
import json
import os
import shlex
import subprocess
import sys

import casadi as ca


def add_term(generator, name, q, v, u, rows):
    """Adds NAME (q, v, u) -> rows, a column, and beside it jac_NAME and hess_NAME."""
    f = ca.Function(name, [q, v, u], [ca.densify(rows)], ["q", "v", "u"], ["r"])
    lam = ca.SX.sym("lambda", rows.shape[0])
    hessian, _ = ca.hessian(ca.dot(lam, rows), ca.vertcat(q, v, u))
    generator.add(f)
    generator.add(f.jacobian())  # is called jac_NAME; its last input, the nominal output, is empty
    generator.add(
        ca.Function("hess_" + name, [q, v, u, lam], [ca.tril(hessian)], ["q", "v", "u", "lambda"], ["H"])
    )


def compile_library(generator, stem, folder):
    """Writes FOLDER/STEM.c and compiles FOLDER/STEM.so; STEM is the name that the generator was made with."""
    os.makedirs(folder, exist_ok=True)
    generator.generate(os.path.join(folder, ""))
    base = os.path.join(folder, stem)
    compiler = shlex.split(os.environ.get("CC", "cc"))
    subprocess.run(compiler + ["-O2", "-fPIC", "-shared", "-o", base + ".so", base + ".c", "-lm"], check=True)


def add_cartpole(generator):
    q, v, u = ca.SX.sym("q", 2), ca.SX.sym("v", 2), ca.SX.sym("u", 1)
    m1, m2, length, gravity = 1.0, 0.3, 0.5, 9.81
    sine, cosine = ca.sin(q[1]), ca.cos(q[1])

    # |x| is not smooth: sqrt(x^2 + e^2) - e is, and differs from it by less than e
    rounding = 0.1
    power = u[0] * v[0]
    add_term(generator, "power", q, v, u, ca.sqrt(power**2 + rounding**2) - rounding)

    # the tip stays on the near side of the plane x = 1.6 + 0.1 z
    x, z = q[0] + length * sine, -length * cosine
    add_term(generator, "wall", q, v, u, 1.6 + 0.1 * z - x)

    # the cart-pole of Kelly, An Introduction to Trajectory Optimization, SIAM Review 59(4), 2017
    cart = (length * m2 * sine * v[1] ** 2 + u[0] + m2 * gravity * cosine * sine) / (m1 + m2 * sine**2)
    pole = -(cart * cosine + gravity * sine) / length
    add_term(generator, "motion", q, v, u, ca.vertcat(cart, pole))


def task(stem):
    """The swing-up; the library lies beside the task, the robot in our configs/."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    library = stem + ".so"
    return {
        "name": stem,
        "robot": os.path.join(root, "configs", "robots", "cartpole.json"),
        "formulation": "EXP1-O",
        "horizon": 2,
        "intervals": 50,
        "start": {"pose": "hanging"},
        "goal": {"pose": "upright", "equilibrium": False},
        "cost": {"torque": 0.1},
        "limits": {"torque": {"cart": 20}},
        "terms": [
            {"library": library, "function": "power", "use": "cost", "weight": 1},
            {"library": library, "function": "wall", "use": "constraint", "lower": 0},
            {"library": library, "function": "motion", "use": "dynamics"},
        ],
        "guess": "line",
        "strategy": "cold",
    }


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: casadi_term.py FOLDER")
    folder, stem = sys.argv[1], "cartpole_terms"
    generator = ca.CodeGenerator(stem + ".c")
    add_cartpole(generator)
    compile_library(generator, stem, folder)
    with open(os.path.join(folder, stem + ".json"), "w", encoding="utf-8") as out:
        json.dump(task(stem), out, indent=2)
        out.write("\n")


if __name__ == "__main__":
    main()
