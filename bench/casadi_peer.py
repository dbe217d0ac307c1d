# SPDX-License-Identifier: MIT
"""The CasADi side of bench/eval: builds the functions of one formulation in CasADi, checks them against
Poise's numbers, times CasADi's interpreter, and leaves generated and compiled C for bench_eval to time.

    casadi_peer.py FOLDER FORM

FOLDER holds task.json (the robot, sizes, number of points) and, as raw doubles, x.f64 (points x
[q v a u lambda]) and the first few values of Poise: residual.f64, jacobian.f64, hessian.f64, dense and
column-major. Writes peer.json, peer.so (residual, jacobian, hessian) and, if it can, vm.so, which
hands the same three functions to CasADi's interpreter through CasADi's C interface."""

import json
import os
import subprocess
import sys
import time

import casadi as ca
import numpy as np

import casadi_dynamics

TOLERANCE = 1e-9  # relative to the largest entry of a result, at least 1
REPETITIONS = 7
NAMES = ("residual", "jacobian", "hessian")


def operations(f):
    """Instructions without inputs, outputs and constants; and how many of them are sin or cos."""
    skip = {ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST, ca.OP_PARAMETER}
    ids = [f.instruction_id(k) for k in range(f.n_instructions())]
    ids = [i for i in ids if i not in skip]
    sincos = sum(1 for i in ids if i in (ca.OP_SIN, ca.OP_COS))
    return len(ids) - sincos, sincos


def tidy(e):
    """Common subexpressions shared, true zeros dropped from the pattern."""
    return ca.sparsify(ca.cse(e)) if hasattr(ca, "cse") else ca.sparsify(e)


def cheapest(name, inputs, candidates):
    """Of several ways to one function, the one with the fewest operations."""
    made = [ca.Function(name, inputs, [tidy(e)]) for e in candidates]
    return min(made, key=lambda f: operations(f)[0])


def build(robot, form, n, nu):
    q, v, a = ca.SX.sym("q", n), ca.SX.sym("v", n), ca.SX.sym("a", n)
    u, lam = ca.SX.sym("u", nu), ca.SX.sym("lambda", n)
    inputs = [q, v, u] if form.endswith("-O") else [q, v, a, u]
    x = ca.vertcat(*inputs)
    plain = casadi_dynamics.residual(robot, form, q, v, a, u)
    shared = ca.cse(plain) if hasattr(ca, "cse") else plain
    jac, hess = [], []
    for r in (plain, shared):
        jac.append(ca.jacobian(r, x))
        hess.append(ca.tril(ca.hessian(ca.dot(lam, r), x)[0]))
        hess.append(ca.tril(ca.jacobian(ca.jacobian(r, x).T @ lam, x)))
    return {
        "residual": cheapest("residual", inputs, (plain, shared)),
        "jacobian": cheapest("jacobian", inputs, jac),
        "hessian": cheapest("hessian", inputs + [lam], hess),
    }


def arguments(f, x, n, nu):
    """The inputs of f out of the columns of x (one column per point)."""
    at = {"q": 0, "v": n, "a": 2 * n, "u": 3 * n, "lambda": 3 * n + nu}
    rows = {"q": n, "v": n, "a": n, "u": nu, "lambda": n}
    names = [f.sx_in(i)[0].name().split("_")[0] for i in range(f.n_in())]
    return [np.asfortranarray(x[at[k] : at[k] + rows[k], :]) for k in names]


def check(folder, f, x, n, nu):
    """Largest difference to Poise's values, relative; stops the program if it is too large."""
    want = np.fromfile(os.path.join(folder, f.name() + ".f64"))
    rows, cols = f.size_out(0)
    want = want.reshape(-1, cols, rows)
    worst = 0.0
    for k in range(want.shape[0]):
        got = np.array(f(*[z[:, k] for z in arguments(f, x, n, nu)]).full())
        scale = max(1.0, np.abs(want[k]).max())
        worst = max(worst, np.abs(got - want[k].T).max() / scale)
    if not worst <= TOLERANCE:
        sys.exit(f"{f.name()}: CasADi and Poise differ by {worst:g}, relative: not the same function")
    return worst


def best_time(run, calls):
    """Seconds per call, the least of several repetitions."""
    run()
    best = float("inf")
    for _ in range(REPETITIONS):
        t = time.perf_counter()
        for _ in range(calls):
            run()
        best = min(best, (time.perf_counter() - t) / calls)
    return best


def time_buffered(f, args):
    """f through a FunctionBuffer, which has no conversions and no allocations."""
    buffer, trigger = f.buffer()  # keeps no reference to the arrays: `keep` and `out` do
    keep = [np.array(a).flatten(order="F") for a in args]
    for i, a in enumerate(keep):
        buffer.set_arg(i, memoryview(a))
    out = np.zeros(f.nnz_out(0))
    buffer.set_res(0, memoryview(out))
    trigger()
    once = best_time(trigger, 1)
    return best_time(trigger, max(1, int(0.02 / max(once, 1e-9))))


def time_interpreter(f, x, n, nu):
    """Nanoseconds per point of CasADi's virtual machine as Python reaches it: single calls, and mapped."""
    points = x.shape[1]
    args = arguments(f, x, n, nu)
    return {
        "buffer": 1e9 * time_buffered(f, [a[:, 0] for a in args]),
        "map": 1e9 * time_buffered(f.map(points, "serial"), args) / points,
    }


SHIM_HEAD = """#include <stddef.h>
typedef long long casadi_int;
int casadi_c_push_file(const char *);
int casadi_c_n_loaded(void);
int casadi_c_checkout_id(int);
void casadi_c_release_id(int, int);
casadi_int casadi_c_n_in_id(int);
casadi_int casadi_c_n_out_id(int);
const casadi_int *casadi_c_sparsity_in_id(int, casadi_int);
const casadi_int *casadi_c_sparsity_out_id(int, casadi_int);
int casadi_c_work_id(int, casadi_int *, casadi_int *, casadi_int *, casadi_int *);
int casadi_c_eval_id(int, const double **, double **, casadi_int *, double *, int);
"""

SHIM_FUNCTION = """
static int {name}_number(void) {{
  static int id = -1;
  if (id < 0 && casadi_c_push_file("{file}") == 0) id = casadi_c_n_loaded() - 1;
  return id;
}}
casadi_int {name}_n_in(void) {{ return casadi_c_n_in_id({name}_number()); }}
casadi_int {name}_n_out(void) {{ return casadi_c_n_out_id({name}_number()); }}
const casadi_int *{name}_sparsity_in(casadi_int i) {{
  return casadi_c_sparsity_in_id({name}_number(), i);
}}
const casadi_int *{name}_sparsity_out(casadi_int i) {{
  return casadi_c_sparsity_out_id({name}_number(), i);
}}
int {name}_work(casadi_int *a, casadi_int *r, casadi_int *iw, casadi_int *w) {{
  return casadi_c_work_id({name}_number(), a, r, iw, w);
}}
int {name}_checkout(void) {{ return casadi_c_checkout_id({name}_number()); }}
void {name}_release(int mem) {{ casadi_c_release_id({name}_number(), mem); }}
int {name}(const double **arg, double **res, casadi_int *iw, double *w, int mem) {{
  return casadi_c_eval_id({name}_number(), arg, res, iw, w, mem);
}}
"""


def write_interpreter_shim(folder, functions):
    """vm.so: the functions as CasADi's interpreter runs them, behind CasADi's own function interface."""
    wheel = os.path.dirname(ca.__file__)
    library = [s for s in os.listdir(wheel) if s.startswith("libcasadi.so")]
    if not library:
        return False
    text = SHIM_HEAD
    for name, f in functions.items():
        path = os.path.join(folder, name + ".casadi")
        f.save(path)
        text += SHIM_FUNCTION.format(name=name, file=path)
    source = os.path.join(folder, "vm.c")
    with open(source, "w") as out:
        out.write(text)
    link = [os.path.join(wheel, min(library, key=len)), "-Wl,-rpath," + wheel]
    return compile_c(source, os.path.join(folder, "vm.so"), ["-O2"], link) is not None


def compile_c(source, library, flags, link=()):
    """Seconds that the compiler took; None if it failed."""
    cc = (os.environ.get("CC") or "cc").split()
    t = time.perf_counter()
    done = subprocess.run(cc + flags + ["-fPIC", "-shared", source, "-o", library, *link, "-lm"])
    return time.perf_counter() - t if done.returncode == 0 else None


def main():
    folder, form = sys.argv[1], sys.argv[2]
    with open(os.path.join(folder, "task.json")) as task_file:
        task = json.load(task_file)
    n, nu = len(task["joints"]), len(task["actuated"])
    x = np.fromfile(os.path.join(folder, "x.f64")).reshape(task["points"], -1).T

    t = time.perf_counter()
    functions = build(task, form, n, nu)
    result = {"version": ca.__version__, "build_ms": 1e3 * (time.perf_counter() - t)}
    for name in NAMES:
        f = functions[name]
        ops, sincos = operations(f)
        result[name] = {
            "difference": check(folder, f, x, n, nu),
            "ops": ops,
            "sincos": sincos,
            "nonzeros": f.nnz_out(0),
            **time_interpreter(f, x, n, nu),
        }

    generator = ca.CodeGenerator("peer.c")
    for name in NAMES:
        generator.add(functions[name])
    source = generator.generate(folder + os.sep)
    seconds = compile_c(source, os.path.join(folder, "peer.so"), ["-O3", "-march=native"])
    if seconds is None:
        sys.exit("the C that CasADi generated does not compile")
    result["compile_s"] = seconds
    result["shim"] = write_interpreter_shim(folder, functions)
    with open(os.path.join(folder, "peer.json"), "w") as out:
        json.dump(result, out)


if __name__ == "__main__":
    main()
