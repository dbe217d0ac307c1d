# SPDX-License-Identifier: MIT
# casadi_check.py CASADI_EMIT FOLDER: the CasADi side of tests/test_casadi.sh. Prints what it compared; a
# difference beyond 1e-12 (relative) is an AssertionError.
import os
import subprocess
import sys

import casadi as ca
import numpy as np

emit, folder = sys.argv[1], sys.argv[2]


def near(a, b, what):
    a, b = np.asarray(a, dtype=float).ravel(), np.asarray(b, dtype=float).ravel()
    assert a.shape == b.shape, (what, a.shape, b.shape)
    worst = max(np.abs(a - b) / (1 + np.abs(b)), default=0)
    assert worst <= 1e-12, (what, worst)


def run(*args, text=None):
    done = subprocess.run([emit, *args], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


# the function of casadi_emit.c, in CasADi's own terms
q, p = ca.SX.sym("q", 3), ca.SX.sym("p", 2)
r = ca.vertcat(
    q[0] * p[0] + ca.sin(q[1]),
    q[2] ** 2 - ca.exp(-q[0]) / (2 + ca.cos(p[1])),
    ca.sqrt(1 + q[1] ** 2) * ca.log(3 + ca.sin(q[0])),
    -p[1],
    0.1,
)
D = ca.SX(ca.Sparsity(3, 3, [0, 1, 2, 3], [0, 2, 1]), ca.vertcat(q[0] * q[1], ca.cos(q[2]), -q[0]))
same = ca.Function("same", [q, p], [r, D], ["q", "p"], ["r", "D"])

# 1. CasADi loads ours: names, patterns, values, first and second derivatives
lines = run("emit", folder)
ours = ca.external("ours", os.path.join(folder, "ours.so"))
assert ours.name_in() == ["q", "p"] and ours.name_out() == ["r", "D"]
for i in range(2):
    assert ours.sparsity_in(i) == same.sparsity_in(i), i
    assert ours.sparsity_out(i) == same.sparsity_out(i), i

points = [[float(x) for x in line.split()[1:]] for line in lines]
points = [points[k : k + 4] for k in range(0, len(points), 4)]
assert len(points) == 5
jac_ours, jac_same = ours.jacobian(), same.jacobian()
assert jac_ours.name_in() == jac_same.name_in() and jac_ours.name_out() == jac_same.name_out()
for i in range(jac_same.n_out()):
    assert jac_ours.sparsity_out(i) == jac_same.sparsity_out(i), jac_same.name_out(i)

# the same functions inside larger expressions, through forward and reverse derivatives
X, P, L = ca.MX.sym("X", 3), ca.MX.sym("P", 2), ca.MX.sym("L", 5)


def wrapped(f):
    value, matrix = f(X, P)
    scalar = ca.dot(L, value) ** 2 + ca.sum1(ca.sum2(matrix))
    hessian, gradient = ca.hessian(scalar, X)
    return ca.Function("w", [X, P, L], [ca.jacobian(value, P), gradient, hessian])


deep_ours, deep_same = wrapped(ours), wrapped(same)
for q0, p0, r0, d0 in points:
    r1, d1 = ours(q0, p0)
    near(r1, r0, "ours in CasADi against our evaluator: r")
    near(d1.nonzeros(), d0, "ours in CasADi against our evaluator: D")
    near(r1, same(q0, p0)[0], "against CasADi")
    for i, (a, b) in enumerate(zip(jac_ours(q0, p0, 0, 0), jac_same(q0, p0, 0, 0))):
        near(a.nonzeros(), b.nonzeros(), jac_same.name_out(i))
    for a, b in zip(deep_ours(q0, p0, r0), deep_same(q0, p0, r0)):
        near(a, b, "derivatives through an expression")
print("CasADi", ca.__version__, "runs our function and its derivatives")

# 2. we load CasADi's, with both spellings of dense patterns
A = ca.SX.sym("A", 2, 3)
T = ca.SX.sym("T", ca.Sparsity.lower(3))
theirs = ca.Function(
    "theirs",
    [q, A, T],
    [ca.mtimes(A, q), ca.mtimes(T, T), ca.atan2(q[0], 2 + q[1] ** 2), ca.SX(2, 2)],
    ["q", "A", "T"],
    ["y", "TT", "angle", "none"],
)
rng = np.random.default_rng(3)
values = [rng.uniform(-2, 2, n) for n in (3, 6, 6)]
result = theirs(values[0], ca.DM(A.sparsity(), values[1]), ca.DM(T.sparsity(), values[2]))
text = " ".join(repr(float(x)) for v in values for x in v)
here = os.getcwd()
for canonical in (False, True):
    stem = "theirs%d" % canonical
    os.chdir(folder)
    options = {"force_canonical": True} if canonical else {}
    try:
        generator = ca.CodeGenerator(stem + ".c", options)
    except RuntimeError:  # versions without the option write the full form
        generator = ca.CodeGenerator(stem + ".c")
    generator.add(theirs)
    generator.generate()
    os.chdir(here)
    library = os.path.join(folder, stem + ".so")
    source = os.path.join(folder, stem + ".c")
    compiler = os.environ.get("CC", "cc").split()
    subprocess.run([*compiler, "-O2", "-fPIC", "-shared", source, "-o", library, "-lm"], check=True)
    lines = run("eval", library, "theirs", text=text)
    assert len(lines) == 2 * 4 * 4
    for k in range(8):
        o = k % 4
        head, colptr, row, value = (line.split() for line in lines[4 * k : 4 * k + 4])
        sparsity = theirs.sparsity_out(o)
        assert head[0] == theirs.name_out(o)
        assert [int(x) for x in head[1:]] == [sparsity.size1(), sparsity.size2(), sparsity.nnz()]
        assert [int(x) for x in colptr] == list(sparsity.colind())
        assert [int(x) for x in row] == list(sparsity.row())
        near([float(x) for x in value[1:]], result[o].nonzeros(), theirs.name_out(o))
    dense = "3, 1, 1}" in open(source).read()
    print("we run CasADi's function, dense patterns", "short" if dense else "in full")
