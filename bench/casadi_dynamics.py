# SPDX-License-Identifier: MIT
"""Dynamics of a robot tree in CasADi's SX, as a user of CasADi would write them: 3-vectors in body frames
for Newton-Euler and composite bodies, 6x6 spatial matrices for articulated bodies. The robot is
the flat description that bench_eval writes (joint i moves body i, parent[i] < i)."""

import casadi as ca
import numpy as np


def skew(p):
    """p x, as a matrix."""
    return ca.vertcat(
        ca.horzcat(0, -p[2], p[1]), ca.horzcat(p[2], 0, -p[0]), ca.horzcat(-p[1], p[0], 0)
    )


def rotation(axis, q):
    """Rot(axis, q); an axis along x, y or z gives the textbook matrix with its zeros and ones."""
    along = [k for k in range(3) if axis[k] != 0]
    if len(along) > 1:
        a = ca.SX(ca.DM(axis))
        return ca.cos(q) * ca.SX.eye(3) + ca.sin(q) * skew(a) + (1 - ca.cos(q)) * (a @ a.T)
    k = along[0]
    c, s = ca.cos(q), axis[k] * ca.sin(q)
    i, j = (k + 1) % 3, (k + 2) % 3
    r = ca.SX.eye(3)
    r[i, i] = r[j, j] = c
    r[i, j], r[j, i] = -s, s
    return r


class Joint:
    """Constants of joint and body i as SX with true zeros, and the placement of the body at q."""

    def __init__(self, data, q):
        self.parent = data["parent"]
        self.revolute = data["revolute"]
        self.damping, self.armature = data["damping"], data["armature"]
        axis = np.array(data["axis"])
        rot = np.array(data["rot"]).reshape(3, 3, order="F")
        self.axis = ca.SX(ca.DM(axis))
        self.mass = data["mass"]
        self.com = ca.SX(ca.DM(np.array(data["com"])))
        self.inertia = ca.SX(ca.DM(np.array(data["inertia"]).reshape(3, 3, order="F")))
        # R: body to parent; p: origin of the body in the parent
        if self.revolute:
            self.R = ca.SX(ca.DM(rot)) @ rotation(axis, q)
            self.p = ca.SX(ca.DM(np.array(data["pos"])))
        else:
            self.R = ca.SX(ca.DM(rot))
            self.p = ca.SX(ca.DM(np.array(data["pos"]))) + ca.SX(ca.DM(rot @ axis)) * q


class Tree:
    def __init__(self, robot, q):
        self.n = len(robot["joints"])
        self.gravity = ca.SX(ca.DM(np.array(robot["gravity"])))
        self.joint = [Joint(robot["joints"][i], q[i]) for i in range(self.n)]


def newton_euler(tree, v, a):
    """Inverse dynamics tau = Phi(q, v, a), recursive Newton-Euler in body frames."""
    w, dw, acc, f, n = [], [], [], [], []
    for i, j in enumerate(tree.joint):
        if j.parent < 0:
            w0, dw0, a0 = ca.SX.zeros(3), ca.SX.zeros(3), -tree.gravity
        else:
            w0, dw0, a0 = w[j.parent], dw[j.parent], acc[j.parent]
        wp = j.R.T @ w0
        at = j.R.T @ (a0 + ca.cross(dw0, j.p) + ca.cross(w0, ca.cross(w0, j.p)))
        if j.revolute:
            sv = j.axis * v[i]
            w.append(wp + sv)
            dw.append(j.R.T @ dw0 + ca.cross(wp, sv) + j.axis * a[i])
            acc.append(at)
        else:
            w.append(wp)
            dw.append(j.R.T @ dw0)
            acc.append(at + 2 * ca.cross(wp, j.axis * v[i]) + j.axis * a[i])
        if j.mass == 0:
            f.append(ca.SX.zeros(3))
            n.append(ca.SX.zeros(3))
            continue
        ac = acc[i] + ca.cross(dw[i], j.com) + ca.cross(w[i], ca.cross(w[i], j.com))
        f.append(j.mass * ac)
        n.append(j.inertia @ dw[i] + ca.cross(w[i], j.inertia @ w[i]) + ca.cross(j.com, f[i]))
    tau = ca.SX.zeros(tree.n)
    for i in reversed(range(tree.n)):
        j = tree.joint[i]
        tau[i] = ca.dot(j.axis, n[i] if j.revolute else f[i]) + j.armature * a[i]
        if j.parent >= 0:
            force = j.R @ f[i]
            f[j.parent] += force
            n[j.parent] += j.R @ n[i] + ca.cross(j.p, force)
    return tau


def mass_matrix(tree):
    """M(q) by composite bodies: mass, first moment h and inertia I about each body's origin."""
    m = [j.mass for j in tree.joint]
    h = [j.mass * j.com for j in tree.joint]
    inertia = [j.inertia - j.mass * skew(j.com) @ skew(j.com) for j in tree.joint]
    M = ca.SX.zeros(tree.n, tree.n)
    for i in reversed(range(tree.n)):
        j = tree.joint[i]
        if j.parent >= 0:
            k = j.parent
            hr = j.R @ h[i]
            m[k] += m[i]
            h[k] += hr + m[i] * j.p
            shift = skew(j.p) @ skew(hr)
            inertia[k] += j.R @ inertia[i] @ j.R.T - shift - shift.T - m[i] * skew(j.p) @ skew(j.p)
        # force and moment of the composite body for a unit acceleration of joint i
        if j.revolute:
            f, n = ca.cross(j.axis, h[i]), inertia[i] @ j.axis
        else:
            f, n = m[i] * j.axis, ca.cross(h[i], j.axis)
        k = i
        M[i, i] = ca.dot(j.axis, n if j.revolute else f) + j.armature
        while tree.joint[k].parent >= 0:
            c = tree.joint[k]
            f = c.R @ f
            n = c.R @ n + ca.cross(c.p, f)
            k = c.parent
            b = tree.joint[k]
            M[i, k] = M[k, i] = ca.dot(b.axis, n if b.revolute else f)
    return M


def ldl_solve(M, b):
    """M x = b by M = L^T D L, last row first, which keeps the zeros between branches."""
    n = b.shape[0]
    L, d = ca.SX(M), [None] * n
    for k in reversed(range(n)):
        d[k] = L[k, k]
        for i in reversed(range(k)):
            if L[k, i].is_zero():
                continue
            r = L[k, i] / d[k]
            for j in range(i + 1):
                L[i, j] = L[i, j] - r * L[k, j]
            L[k, i] = r
    x = [b[i] for i in range(n)]
    for i in reversed(range(n)):
        for j in range(i):
            x[j] = x[j] - L[i, j] * x[i]
    for i in range(n):
        x[i] = x[i] / d[i]
        for j in range(i):
            x[i] = x[i] - L[i, j] * x[j]
    return ca.vertcat(*x)


def cross_motion(v):
    """v x for spatial motions [angular; linear]."""
    w, o = skew(v[:3]), skew(v[3:])
    return ca.vertcat(ca.horzcat(w, ca.SX(3, 3)), ca.horzcat(o, w))


def mirror(A):
    """A symmetric matrix from its upper triangle: the other one need not be computed."""
    return ca.triu2symm(ca.triu(A))


def articulated_body(tree, v, tau):
    """Forward dynamics by articulated bodies, in spatial vectors (Featherstone 2008, table 7.1)."""
    turn, shift, S, vel, bias, IA, pA = [], [], [], [], [], [], []
    zero, eye = ca.SX(3, 3), ca.SX.eye(3)
    for i, j in enumerate(tree.joint):
        E = j.R.T
        turn.append(ca.diagcat(E, E))
        shift.append(ca.vertcat(ca.horzcat(eye, zero), ca.horzcat(-skew(j.p), eye)))
        s = ca.vertcat(j.axis, ca.SX.zeros(3)) if j.revolute else ca.vertcat(ca.SX.zeros(3), j.axis)
        S.append(s)
        vj = s * v[i]
        vel.append(vj if j.parent < 0 else turn[i] @ (shift[i] @ vel[j.parent]) + vj)
        bias.append(cross_motion(vel[i]) @ vj)
        c = skew(j.com)
        inertia = ca.vertcat(
            ca.horzcat(j.inertia - j.mass * c @ c, j.mass * c),
            ca.horzcat(-j.mass * c, j.mass * ca.SX.eye(3)),
        )
        IA.append(inertia)
        pA.append(-cross_motion(vel[i]).T @ (inertia @ vel[i]))
    U, d, u = [None] * tree.n, [None] * tree.n, [None] * tree.n
    for i in reversed(range(tree.n)):
        j = tree.joint[i]
        U[i] = IA[i] @ S[i]
        d[i] = ca.dot(S[i], U[i]) + j.armature
        u[i] = tau[i] - ca.dot(S[i], pA[i])
        if j.parent >= 0:
            Ia = mirror(IA[i] - (U[i] / d[i]) @ U[i].T)
            pa = pA[i] + Ia @ bias[i] + U[i] * (u[i] / d[i])
            turned = mirror(turn[i].T @ Ia @ turn[i])
            IA[j.parent] = IA[j.parent] + mirror(shift[i].T @ turned @ shift[i])
            pA[j.parent] = pA[j.parent] + shift[i].T @ (turn[i].T @ pa)
    a, acc = ca.SX.zeros(tree.n), []
    for i, j in enumerate(tree.joint):
        before = ca.vertcat(ca.SX.zeros(3), -tree.gravity) if j.parent < 0 else acc[j.parent]
        at = turn[i] @ (shift[i] @ before) + bias[i]
        a[i] = (u[i] - ca.dot(U[i], at)) / d[i]
        acc.append(at + S[i] * a[i])
    return a


def residual(robot, form, q, v, a, u):
    """The residual of a formulation, as dyn.h defines it."""
    tree = Tree(robot, q)
    n = tree.n
    force = ca.SX.zeros(n)
    for k, i in enumerate(robot["actuated"]):
        force[i] = u[k]
    damping = ca.vertcat(*[tree.joint[i].damping * v[i] for i in range(n)])
    if form == "IMPL":
        return newton_euler(tree, v, a) + damping - force
    if form == "SEMI":
        return mass_matrix(tree) @ a + newton_euler(tree, v, ca.SX.zeros(n)) + damping - force
    if form.startswith("EXP1"):
        c = newton_euler(tree, v, ca.SX.zeros(n))
        xi = ldl_solve(mass_matrix(tree), force - damping - c)
    else:
        xi = articulated_body(tree, v, force - damping)
    return xi if form.endswith("-O") else a - xi
