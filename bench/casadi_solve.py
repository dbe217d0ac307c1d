# SPDX-License-Identifier: MIT
"""The CasADi side of bench/solve: poses the nonlinear program of one task and formulation in CasADi, in
the paper layout, checks that it is Poise's, and solves it with CasADi's IPOPT and MUMPS, and with fatrop.

    casadi_solve.py FOLDER REPETITIONS [WAY,...]

FOLDER holds problem.json (robot, grid, costs, goal, sizes) and, as raw doubles in the order of Poise's
variables and rows, x_lower, x_upper, x_start, g_lower, g_upper (.f64) and, for the check, a point
x_check with g_check and f_check. Writes solve.json: one entry for each variant that was tried.

Variants: how the functions are made (map: CasADi differentiates a mapped point function; blocks: mapped
Jacobian and Hessian of a point, put together by hand; unrolled: one SX graph), interpreted or compiled,
and the settings of MUMPS. Slow ones are measured once."""

import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as Poise does: before the libraries are loaded

import re
import subprocess
import sys
import time

import casadi as ca
import numpy as np

import casadi_dynamics
import casadi_fatrop

TOLERANCE = 1e-9  # of the check, relative to the largest entry
PIVOT_ORDERS = {"pord": 4, "amd": 0}  # of MUMPS


def load(folder):
    with open(os.path.join(folder, "problem.json")) as problem_file:
        p = json.load(problem_file)
    for name in ("x_lower", "x_upper", "x_start", "g_lower", "g_upper", "x_check", "g_check", "f_check"):
        p[name] = np.fromfile(os.path.join(folder, name + ".f64"))
    p["ode"] = p["form"].endswith("-O")
    p["nv"], p["nu"] = len(p["robot"]["joints"]), len(p["robot"]["actuated"])
    return p


# ---- functions of a point ---------------------------------------------------------------------------


def frame_position(robot, q, frame):
    """World position of a point of a body."""
    tree = casadi_dynamics.Tree(robot, q)
    at, i = ca.SX(ca.DM(np.array(frame["pos"]))), frame["body"]
    while i >= 0:
        joint = tree.joint[i]
        at = joint.p + joint.R @ at
        i = joint.parent
    return at


def tidy(e):
    """Common subexpressions shared, true zeros dropped from the pattern."""
    return ca.sparsify(ca.cse(e)) if hasattr(ca, "cse") else ca.sparsify(e)


def size(f):
    return f.n_instructions()


class PointFunctions:
    """Residual of the dynamics at a point (q, v, a, u or q, v, u), its Jacobian and Hessian; the same
    for the position of the goal's frame."""

    def __init__(self, p):
        n, nu = p["nv"], p["nu"]
        q, v, a = ca.SX.sym("q", n), ca.SX.sym("v", n), ca.SX.sym("a", n)
        u = ca.SX.sym("u", nu)
        z = ca.vertcat(q, v, u) if p["ode"] else ca.vertcat(q, v, a, u)
        self.dynamics = self.trio("dynamics", z, casadi_dynamics.residual(p["robot"], p["form"], q, v, a, u))
        self.goal = None
        if p["goal"]["frame"]:
            rows = [i for i in range(3) if p["goal"]["fixed"][i]]
            r = frame_position(p["robot"], q, p["goal"]["frame"])
            self.goal = self.trio("goal", q, ca.vertcat(*[r[i] for i in rows]))

    @staticmethod
    def trio(name, z, r):
        """r(z), its Jacobian and the upper triangle of the Hessian of lambda^T r; fewest operations."""
        lam = ca.SX.sym("lambda", r.shape[0])
        jac, hess = [], []
        for e in (r, tidy(r)):
            jac.append(ca.Function(name + "_jac", [z], [tidy(ca.jacobian(e, z))]))
            for h in (ca.hessian(ca.dot(lam, e), z)[0], ca.jacobian(ca.jacobian(e, z).T @ lam, z)):
                hess.append(ca.Function(name + "_hess", [z, lam], [tidy(ca.triu(h))]))
        return ca.Function(name, [z], [tidy(r)]), min(jac, key=size), min(hess, key=size)


# ---- the nonlinear program ----------------------------------------------------------------------------


class Program:
    """Variables and rows in Poise's order: blocks q v | u | points, one per interval, and a last node;
    start | (collocation | dynamics | continuity) of each interval | goal."""

    def __init__(self, p, point):
        n, nu, N, d = p["nv"], p["nu"], p["intervals"], p["points"]
        self.p, self.point = p, point
        self.per_point = (2 if p["ode"] else 3) * n
        self.stride = 2 * n + nu + d * self.per_point
        self.n_x = N * self.stride + 2 * n
        # indices of the variables of each point (columns: interval by interval), of the last node
        index = np.arange(N * self.stride).reshape(N, self.stride)
        inner = index[:, 2 * n + nu :].reshape(N * d, self.per_point)
        control = np.repeat(index[:, 2 * n : 2 * n + nu], d, axis=0)
        self.z_index = np.hstack([inner, control]).T
        self.end_index = N * self.stride + np.arange(2 * n)
        self.end_z = np.concatenate([self.end_index, index[-1, 2 * n : 2 * n + nu]])

    def split(self, x):
        n, nu, N, d = self.p["nv"], self.p["nu"], self.p["intervals"], self.p["points"]
        blocks = ca.reshape(x[: N * self.stride], self.stride, N)
        nodes = ca.horzcat(blocks[: 2 * n, :], x[N * self.stride :])
        points = [
            blocks[2 * n + nu + j * self.per_point : 2 * n + nu + (j + 1) * self.per_point, :]
            for j in range(d)
        ]
        return nodes, blocks[2 * n : 2 * n + nu, :], points

    def points_of(self, x):
        """One column [q v (a) u] per point."""
        _, u, points = self.split(x)
        d, N = self.p["points"], self.p["intervals"]
        inner = ca.reshape(ca.vertcat(*points), self.per_point, d * N)
        order = [k for k in range(N) for _ in range(d)]
        return ca.vertcat(inner, u[:, order])

    def objective(self, x):
        _, u, _ = self.split(x)
        h, c = self.p["h"], self.p["cost"]
        f = h * c["torque"] * ca.sumsqr(u)
        if c["torque_rate"] > 0:
            f += h * c["torque_rate"] * ca.sumsqr((u[:, 1:] - u[:, :-1]) / h)
        return f

    def rows(self, x, value, goal, end):
        """The constraints, given the dynamics at all points, the goal and the end."""
        n, N, d, h, ode = (self.p[k] for k in ("nv", "intervals", "points", "h", "ode"))
        D = self.p["differentiate"]
        nodes, _, points = self.split(x)
        value = ca.reshape(value, n * d, N)
        rows = []
        for j in range(d):
            moved = D[j][0] * nodes[:, :N]
            for l in range(d):
                moved += D[j][l + 1] * points[l][: 2 * n, :]
            a = value[j * n : (j + 1) * n, :] if ode else points[j][2 * n :, :]
            rows.append(moved - h * ca.vertcat(points[j][n : 2 * n, :], a))
        if not ode:
            rows.append(value)
        rows.append(nodes[:, 1:] - points[d - 1][: 2 * n, :])
        g = [nodes[:, 0], ca.vec(ca.vertcat(*rows))]
        g += [goal] if self.point.goal else []
        g += [nodes[n:, N]] if self.p["goal"]["at_rest"] else []
        if self.p["goal"]["equilibrium"]:
            g.append(end if ode else points[d - 1][2 * n :, N - 1])
        return ca.vertcat(*g)

    def constraints(self, x):
        f, z = self.point.dynamics[0], self.points_of(x)
        n = self.p["nv"]
        goal = self.point.goal[0](x[list(self.end_index[:n])]) if self.point.goal else ca.DM(0, 1)
        end = f(x[list(self.end_z)]) if self.p["ode"] else None
        return self.rows(x, f.map(z.shape[1])(z), goal, end)


def program_map(program):
    """As the manual does it: a mapped function in MX, derivatives by CasADi."""
    x = ca.MX.sym("x", program.n_x)
    return {"x": x, "f": program.objective(x), "g": program.constraints(x)}, {}


def program_unrolled(program):
    """One SX graph of everything."""
    x = ca.SX.sym("x", program.n_x)
    return {"x": x, "f": program.objective(x), "g": program.constraints(x)}, {}


class Assembly:
    """A sparse matrix out of pieces (rows, columns, expression of their values); entries at the same
    place are added up."""

    def __init__(self, rows, cols):
        self.rows, self.cols, self.pieces = rows, cols, []

    def add(self, row, col, values):
        if np.size(row):
            self.pieces.append((np.asarray(row), np.asarray(col), values))

    def matrix(self):
        row = np.concatenate([r for r, _, _ in self.pieces])
        col = np.concatenate([c for _, c, _ in self.pieces])
        raw = ca.vertcat(*[v for _, _, v in self.pieces])
        key, place = np.unique(col.astype(np.int64) * self.rows + row, return_inverse=True)
        pattern = ca.Sparsity.triplet(
            self.rows, self.cols, [int(k) for k in key % self.rows], [int(k) for k in key // self.rows]
        )
        if len(key) == len(row):
            order = np.argsort(place)
            values = raw[[int(i) for i in order]]
        else:
            count = len(row)
            add = ca.Sparsity.triplet(len(key), count, [int(i) for i in place], list(range(count)))
            values = ca.DM(add, np.ones(count)) @ raw
        return ca.MX(pattern, values)


def triplets(sparsity):
    row, col = sparsity.get_triplet()
    return np.array(row, dtype=np.int64), np.array(col, dtype=np.int64)


def program_blocks(program):
    """Jacobian and Hessian of every point from mapped SX functions, put together by index."""
    nlp, _ = program_map(program)
    p, point, x = program.p, program.point, nlp["x"]
    n, N, d = p["nv"], p["intervals"], p["points"]
    P, m, n_x = N * d, nlp["g"].shape[0], program.n_x
    z, ode = program.points_of(x), p["ode"]
    z_index = program.z_index

    # row of each equation of the dynamics, one column per point
    per_interval = 2 * n * d + (0 if ode else n * d) + 2 * n
    first = 2 * n + per_interval * np.repeat(np.arange(N), d)
    j = np.tile(np.arange(d), N)
    dyn_row = first + (2 * n * j + n if ode else 2 * n * d + n * j) + np.arange(n)[:, None]
    scale = -p["h"] if ode else 1.0
    goal_row = 2 * n + per_interval * N + np.arange(point.goal[0].size1_out(0) if point.goal else 0)
    end_row = m - n + np.arange(n)

    # what is linear
    parts = [ca.MX.zeros(n, P), ca.MX.zeros(len(goal_row)), ca.MX.zeros(n)]
    linear = ca.Function("linear", [x], [ca.jacobian(program.rows(x, *parts), x)])(0)
    jac = Assembly(m, n_x)
    row, col = triplets(linear.sparsity())
    jac.add(row, col, ca.DM(linear.nonzeros()))

    def each_point(f, rows_of, *arguments):
        """rows and columns of the nonzeros of f at all points, and their values"""
        r, c = triplets(f.sparsity_out(0))
        out = f.map(P)(z, *arguments)
        return rows_of[r, :].T.ravel(), z_index[c, :].T.ravel(), ca.MX(ca.vec(out).nz[:])

    row, col, values = each_point(point.dynamics[1], dyn_row)
    jac.add(row, col, scale * values if ode else values)
    q_end, z_end = program.end_index[:n], program.end_z
    if point.goal:
        r, c = triplets(point.goal[1].sparsity_out(0))
        jac.add(goal_row[r], q_end[c], point.goal[1](x[list(q_end)]).nz[:])
    if ode:
        r, c = triplets(point.dynamics[1].sparsity_out(0))
        jac.add(end_row[r], z_end[c], point.dynamics[1](x[list(z_end)]).nz[:])
    jac_g = ca.Function(
        "nlp_jac_g", [x, ca.MX.sym("p", 0, 0)], [nlp["g"], jac.matrix()],
        ["x", "p"], ["g", "jac_g_x"],
    )

    # the Hessian of the Lagrangian, upper triangle
    lam_f, lam_g = ca.MX.sym("lam_f"), ca.MX.sym("lam_g", m)
    cost = ca.triu(ca.hessian(nlp["f"], x)[0])
    cost = ca.Function("cost", [x], [cost])(0)
    hess = Assembly(n_x, n_x)

    def add_upper(row, col, values):
        hess.add(np.minimum(row, col), np.maximum(row, col), values)

    row, col = triplets(cost.sparsity())
    hess.add(row, col, lam_f * ca.DM(cost.nonzeros()))
    lam = ca.reshape(lam_g[[int(i) for i in dyn_row.T.ravel()]], n, P)
    row, col, values = each_point(point.dynamics[2], z_index, scale * lam if ode else lam)
    add_upper(row, col, values)
    if point.goal:
        r, c = triplets(point.goal[2].sparsity_out(0))
        add_upper(q_end[r], q_end[c], point.goal[2](x[list(q_end)], lam_g[[int(i) for i in goal_row]]).nz[:])
    if ode:
        r, c = triplets(point.dynamics[2].sparsity_out(0))
        values = point.dynamics[2](x[list(z_end)], lam_g[[int(i) for i in end_row]])
        add_upper(z_end[r], z_end[c], values.nz[:])
    hess_lag = ca.Function(
        "nlp_hess_l", [x, ca.MX.sym("p", 0, 0), lam_f, lam_g], [hess.matrix()],
        ["x", "p", "lam_f", "lam_g"], ["triu_hess_gamma_x_x"],
    )
    return nlp, {"jac_g": jac_g, "hess_lag": hess_lag}


WAYS = {"map": program_map, "blocks": program_blocks, "unrolled": program_unrolled}


def check(p, nlp):
    """The same numbers as Poise at one point; returns the largest difference, relative."""
    f = ca.Function("both", [nlp["x"]], [nlp["f"], nlp["g"]])
    value, g = f(p["x_check"])
    g = np.array(g).flatten()
    if g.size != p["g_check"].size:
        sys.exit(f"CasADi has {g.size} rows, Poise {p['g_check'].size}: not the same problem")
    off = np.abs(g - p["g_check"]).max() / max(1.0, np.abs(g).max())
    off = max(off, abs(float(value) - p["f_check"][0]) / max(1.0, abs(p["f_check"][0])))
    if not off <= TOLERANCE:
        sys.exit(f"CasADi and Poise differ by {off:g}, relative: not the same problem")
    return off


# ---- solving --------------------------------------------------------------------------------------------


def wall(text, name):
    found = re.search(r"^ *" + name + r"\.*:.*wall: *([0-9.]+)", text, re.M)
    return float(found.group(1)) if found else float("nan")


def options(p, order, log):
    ipopt = {
        "linear_solver": "mumps",
        "print_level": 0,
        "sb": "yes",
        "print_timing_statistics": "yes",
        "output_file": log,
        "file_print_level": 3,
        **order,
        **p["ipopt"],
    }
    return {"ipopt": ipopt, "print_time": False, "calc_lam_p": False}


def solve(p, make, log):
    """One solve from the start with a new solver; seconds and what came out."""
    bounds = {
        "x0": p["x_start"],
        "lbx": p["x_lower"],
        "ubx": p["x_upper"],
        "lbg": p["g_lower"],
        "ubg": p["g_upper"],
    }
    solver = make()
    t, cpu = time.perf_counter(), time.process_time()
    out = solver(**bounds)
    total, cpu = time.perf_counter() - t, time.process_time() - cpu
    stats, objective = solver.stats(), float(out["f"])
    del solver, out  # IPOPT closes its file
    with open(log) as log_file:
        text = log_file.read()
    return {
        "total_s": total,
        "cpu_s": cpu,
        "evaluation_s": sum(v for k, v in stats.items() if k.startswith("t_wall_nlp_")),
        "linear_solver_s": wall(text, "StdAugSystemSolverMultiSolve"),
        "iterations": stats["iter_count"],
        "objective": objective,
        "status": stats["return_status"],
    }


def best_of(p, run, repetitions):
    """The quickest of several solves; a slow one is not repeated."""
    best = None
    for _ in range(repetitions):
        r = run()
        cpu = min(r["cpu_s"], best["cpu_s"]) if best else r["cpu_s"]
        if best is None or r["total_s"] < best["total_s"]:
            best = r
        best["cpu_s"] = cpu
        if r["total_s"] > p["slow_s"]:
            break
    return best


def compile_nlp(nlp, solver, given, folder, name):
    """The functions of a solver as a shared object, under the names by which nlpsol looks for them;
    seconds, and its path (None: it failed)."""
    cc = (os.environ.get("CC") or "cc").split()
    t = time.perf_counter()
    kind = type(nlp["x"])
    generator = ca.CodeGenerator(name + ".c")
    generator.add(ca.Function("nlp", [nlp["x"], kind(0, 1)], [nlp["f"], nlp["g"]], ["x", "p"], ["f", "g"]))
    own = {"nlp_jac_g": given.get("jac_g"), "nlp_hess_l": given.get("hess_lag")}
    for f in ("nlp_f", "nlp_g", "nlp_grad", "nlp_grad_f", "nlp_jac_g", "nlp_hess_l"):
        generator.add(own.get(f) or solver.get_function(f))
    source, library = generator.generate(folder + os.sep), os.path.join(folder, name + ".so")
    flags = ["-O3", "-march=native", "-fPIC", "-shared"]
    done = subprocess.run(cc + flags + [source, "-o", library, "-lm"])
    return time.perf_counter() - t, library if done.returncode == 0 else None


def orders(p):
    """The settings of MUMPS to try: Poise's own, with each ordering."""
    mumps = {k: int(v) if float(v).is_integer() else v for k, v in p["mumps"].items()}
    return {name: {**mumps, "mumps_pivot_order": order} for name, order in PIVOT_ORDERS.items()}


def run_way(p, program, way, folder, repetitions, compiled, point_s):
    log = os.path.join(folder, "ipopt.log")
    t = time.perf_counter()
    nlp, given = WAYS[way](program)
    first = ca.nlpsol("solver", "ipopt", nlp, {**options(p, {}, log), **given})
    build = time.perf_counter() - t + point_s
    off = check(p, nlp)
    jac, hess = first.get_function("nlp_jac_g").sparsity_out(1), first.get_function("nlp_hess_l").sparsity_out(0)
    common = {
        "way": way,
        "linear": "mumps",
        "difference": off,
        "variables": nlp["x"].shape[0],
        "constraints": nlp["g"].shape[0],
        "jacobian_nonzeros": jac.nnz(),
        "hessian_nonzeros": hess.nnz(),
    }
    runs, library, compile_s = [], None, 0.0
    if compiled:
        compile_s, library = compile_nlp(nlp, first, given, folder, way)

    def add(functions, order_name, make, setup, compiler):
        r = best_of(p, lambda: solve(p, make, log), repetitions)
        runs.append(
            {**common, **r, "functions": functions, "ordering": order_name, "setup_s": setup, "compile_s": compiler}
        )

    for order_name, order in orders(p).items():
        opts = options(p, order, log)
        if order_name == "pord":
            add("interpreted", order_name, lambda: ca.nlpsol("solver", "ipopt", nlp, {**opts, **given}), build, 0.0)
        if library:
            make = lambda: ca.nlpsol("solver", "ipopt", library, opts)
            add("compiled", order_name, make, build + compile_s, compile_s)
    return runs


def run_fatrop(p, program, folder, repetitions, point_s):
    """fatrop with compiled functions; nothing where it can't pose the problem."""
    if casadi_fatrop.possible(p):
        return []
    t = time.perf_counter()
    stages = casadi_fatrop.Stages(program)
    functions = stages.functions(*program_blocks(program), Assembly, triplets)
    build = time.perf_counter() - t + point_s
    off = casadi_fatrop.check(stages, functions)
    if not off <= TOLERANCE:
        sys.exit(f"fatrop's problem and Poise's differ by {off:g}, relative: not the same problem")
    compile_s, library = casadi_fatrop.compile_functions(functions, folder)
    if not library:
        return []
    r = best_of(p, lambda: casadi_fatrop.solve(stages, library), repetitions)
    jac, hess = functions[4].sparsity_out(1), functions[5].sparsity_out(1)
    sizes = {
        "variables": stages.n,
        "constraints": jac.size1(),
        "jacobian_nonzeros": jac.nnz(),
        "hessian_nonzeros": (hess.nnz() + hess.size1()) // 2,
    }
    common = {"way": "", "linear": "fatrop", "functions": "compiled", "ordering": "", "difference": off}
    return [{**common, **sizes, **r, "setup_s": build + compile_s, "compile_s": compile_s}]


def main():
    folder, repetitions = sys.argv[1], int(sys.argv[2])
    ways = sys.argv[3].split(",") if len(sys.argv) > 3 else ["blocks", "fatrop"]
    p = load(folder)
    t = time.perf_counter()
    program = Program(p, PointFunctions(p))
    point_s = time.perf_counter() - t
    runs = []
    for way in ways:
        if way == "fatrop":
            runs += run_fatrop(p, program, folder, repetitions, point_s)
            continue
        runs += run_way(p, program, way, folder, repetitions, way != "unrolled", point_s)
    with open(os.path.join(folder, "solve.json"), "w") as out:
        json.dump({"version": ca.__version__, "point_s": point_s, "runs": runs}, out)


if __name__ == "__main__":
    main()
