# SPDX-License-Identifier: MIT
"""The problem of casadi_solve.py for fatrop: the same variables and rows, put into the order of its stages.
State of a stage: the node (q, v) and, where torque rates cost something, the torques of the interval before
(fatrop knows no cost between stages). Controls: torques and all unknowns of the interval's points. Its
dynamics: the rows that join the interval to the next node; path constraints: all other rows."""

import os
import subprocess
import time

import casadi as ca
import numpy as np


def possible(p):
    """Why fatrop can't pose it; None if it can."""
    if p["ode"]:
        return "the end condition of an ODE form joins two stages"
    return None


class Stages:
    """Places in fatrop's order of the variables and rows of the paper layout."""

    def __init__(self, program):
        p = program.p
        n, nu, N, d = p["nv"], p["nu"], p["intervals"], p["points"]
        self.p, self.program = p, program
        self.memory = nu if p["cost"]["torque_rate"] > 0 else 0  # torques of the interval before
        self.nx = 2 * n + self.memory
        self.n_control = program.stride - 2 * n
        self.stride = self.nx + self.n_control
        self.n = N * self.stride + self.nx

        # variables: block k of the paper layout, with room for the memory
        old = np.arange(program.n_x)
        k, slot = old // program.stride, old % program.stride
        self.variable = k * self.stride + np.where(slot < 2 * n, slot, slot + self.memory)
        self.torque = np.arange(N)[:, None] * self.stride + self.nx + np.arange(nu)
        self.before = np.arange(N + 1)[:, None] * self.stride + 2 * n + np.arange(self.memory)

        # rows of the paper layout: start | (collocation, dynamics, continuity) | goal, rest, acceleration
        per = 3 * n * d + 2 * n
        goal = program.point.goal[0].size1_out(0) if program.point.goal else 0
        rest = n if p["goal"]["at_rest"] else 0
        accel = n if p["goal"]["equilibrium"] else 0
        first_goal = 2 * n + per * N
        m = first_goal + goal + rest + accel
        extra = m + np.arange((N + 1) * self.memory).reshape(N + 1, self.memory)
        order, self.ng = [], []
        for i in range(N):
            rows = 2 * n + per * i + np.arange(per)
            order += [*rows[3 * n * d :], *extra[i + 1]]  # joins to the next node
            path = list(rows[: 3 * n * d])
            if i == 0:
                path += [*range(2 * n), *extra[0]]
            if i == N - 1:
                path += range(first_goal + goal + rest, m)
            order += path
            self.ng.append(len(path))
        order += range(first_goal, first_goal + goal + rest)
        self.ng.append(goal + rest)
        self.order = np.array(order)  # fatrop's row -> ours, the memory's behind them
        self.row = np.argsort(self.order)
        self.m, self.n_extra = m, extra.size
        self.extra = self.row[extra] if self.memory else extra

    def options(self):
        p = self.p
        N = p["intervals"]
        return {
            "structure_detection": "manual",
            "N": N,
            "nx": [self.nx] * (N + 1),
            "nu": [self.n_control] * N + [0],
            "ng": self.ng,
            "equality": [True] * (self.m + self.n_extra),
            "fatrop": {
                "print_level": 0,
                "tolerance": p["ipopt"]["tol"],
                "max_iter": 300,
            },
            "print_time": False,
            "calc_lam_p": False,
        }

    def bounds(self):
        p = self.p
        zero = np.zeros(self.n_extra)
        out = {}
        for key, name, fill in (("x0", "x_start", 0.0), ("lbx", "x_lower", -np.inf), ("ubx", "x_upper", np.inf)):
            x = np.full(self.n, fill)
            x[self.variable] = p[name]
            if key == "x0" and self.memory:
                x[self.before[1:]] = x[self.torque]
            out[key] = x
        for key, name in (("lbg", "g_lower"), ("ubg", "g_upper")):
            out[key] = np.concatenate([p[name], zero])[self.order]
        return out

    def objective(self, x):
        h, c = self.p["h"], self.p["cost"]
        u = x[[int(i) for i in self.torque.ravel()]]
        f = h * c["torque"] * ca.sumsqr(u)
        if self.memory:
            old = x[[int(i) for i in self.before[1:-1].ravel()]]
            new = x[[int(i) for i in self.torque[1:].ravel()]]
            f += h * c["torque_rate"] * ca.sumsqr((new - old) / h)
        return f

    def functions(self, nlp, given, assembly, triplets):
        """What nlpsol looks for, from our Jacobian and Hessian of the paper layout."""
        pick = lambda v, index: v[[int(i) for i in index]]
        x, none = ca.MX.sym("x", self.n), ca.MX.sym("p", 0, 0)
        lam_f, lam_g = ca.MX.sym("lam_f"), ca.MX.sym("lam_g", self.m + self.n_extra)
        paper = pick(x, self.variable)
        value, jac_paper = given["jac_g"](paper, ca.MX(0, 0))

        # rows that remember the torques: before_0 = 0, before_{k+1} - u_k = 0
        extra = []
        if self.memory:
            extra = [pick(x, self.before[0]), pick(x, self.before[1:].ravel()) - pick(x, self.torque.ravel())]
        g = pick(ca.vertcat(value, *extra), self.order)

        jac = assembly(self.m + self.n_extra, self.n)
        r, c = triplets(jac_paper.sparsity())
        jac.add(self.row[r], self.variable[c], jac_paper.nz[:])
        if self.memory:
            jac.add(self.extra.ravel(), self.before.ravel(), ca.DM.ones(self.before.size))
            jac.add(self.extra[1:].ravel(), self.torque.ravel(), -ca.DM.ones(self.torque.size))
        jac = jac.matrix()

        f = self.objective(x)
        cost, grad_f = ca.hessian(f, x)
        cost = ca.Function("cost", [x], [ca.triu(cost)])(0)
        lam_paper = pick(lam_g, self.row[: self.m])
        hess_paper = given["hess_lag"](paper, ca.MX(0, 0), 0, lam_paper)
        hess = assembly(self.n, self.n)

        def add_both(r, c, values):
            keep = np.flatnonzero(r // self.stride == c // self.stride)  # others are of the old cost: zero here
            off = keep[r[keep] != c[keep]]
            hess.add(r[keep], c[keep], values[[int(i) for i in keep]])
            hess.add(c[off], r[off], values[[int(i) for i in off]])

        r, c = triplets(hess_paper.sparsity())
        add_both(self.variable[r], self.variable[c], hess_paper.nz[:])
        r, c = triplets(cost.sparsity())
        add_both(r, c, lam_f * ca.DM(cost.nonzeros()))
        hess = hess.matrix()
        gradient = lam_f * grad_f + ca.mtimes(jac.T, lam_g)
        xp, both = ["x", "p"], ["x", "p", "lam_f", "lam_g"]
        return [
            ca.Function("nlp", [x, none], [f, g], xp, ["f", "g"]),
            ca.Function("nlp_f", [x, none], [f], xp, ["f"]),
            ca.Function("nlp_g", [x, none], [g], xp, ["g"]),
            ca.Function("nlp_grad_f", [x, none], [grad_f], xp, ["grad_f_x"]),
            ca.Function("nlp_jac_g", [x, none], [g, jac], xp, ["g", "jac_g_x"]),
            ca.Function(
                "nlp_hess_l", [x, none, lam_f, lam_g], [gradient, hess], both, ["grad_gamma_x", "hess_gamma_x_x"]
            ),
            ca.Function(
                "nlp_grad", [x, none, lam_f, lam_g], [f, g, gradient, ca.MX(0, 0)],
                both, ["f", "g", "grad_gamma_x", "grad_gamma_p"],
            ),
        ]


def check(stages, functions):
    """The same objective and rows as Poise's at the check point; largest difference, relative."""
    p = stages.p
    x = np.zeros(stages.n)
    x[stages.variable] = p["x_check"]
    if stages.memory:
        x[stages.before[1:]] = x[stages.torque]
    f, g = functions[0](x, ca.DM(0, 0))
    g = np.array(g).flatten()[stages.row[: stages.m]]
    off = np.abs(g - p["g_check"]).max() / max(1.0, np.abs(g).max())
    return max(off, abs(float(f) - p["f_check"][0]) / max(1.0, abs(p["f_check"][0])))


def compile_functions(functions, folder):
    cc = (os.environ.get("CC") or "cc").split()
    t = time.perf_counter()
    generator = ca.CodeGenerator("fatrop.c")
    for f in functions:
        generator.add(f)
    source, library = generator.generate(folder + os.sep), os.path.join(folder, "fatrop.so")
    done = subprocess.run(cc + ["-O3", "-march=native", "-fPIC", "-shared", source, "-o", library, "-lm"])
    return time.perf_counter() - t, library if done.returncode == 0 else None


def solve(stages, library):
    solver = ca.nlpsol("solver", "fatrop", library, stages.options())
    bounds = stages.bounds()
    t, cpu = time.perf_counter(), time.process_time()
    out = solver(**bounds)
    total, cpu = time.perf_counter() - t, time.process_time() - cpu
    stats = solver.stats()
    return {
        "total_s": total,
        "cpu_s": cpu,
        "evaluation_s": sum(v for k, v in stats.items() if k.startswith("t_wall_nlp_")),
        "linear_solver_s": stats["fatrop"]["compute_sd_time"],
        "iterations": stats["iter_count"],
        "objective": float(out["f"]),
        "status": "Solve_Succeeded" if stats["success"] else f"Fatrop_returns_{stats['return_status']}",
    }
