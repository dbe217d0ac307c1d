#!/bin/sh
# SPDX-License-Identifier: MIT
# test_casadi_term.sh POISE: the example of tools/casadi_term.py is made, read, solved and verified. Skipped (77)
# without a Python that has casadi ($POISE_PYTHON, $PYTHON, python3, .venv-casadi/bin/python) or a C compiler.
poise=$1
python=
for candidate in "${POISE_PYTHON:-}" "${PYTHON:-}" python3 .venv-casadi/bin/python; do
  [ -n "$candidate" ] || continue
  if "$candidate" -c 'import casadi' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo "skipped: no Python with casadi here"; exit 77; }
${CC:-cc} --version >/dev/null 2>&1 || { echo "skipped: no C compiler here"; exit 77; }
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT
task=$folder/cartpole_terms.json

fail() {
  echo "FAIL: $*"
  exit 1
}

"$python" tools/casadi_term.py "$folder" || fail "casadi_term.py"
for use in "power, cost, 1 row" "wall, constraint, 1 row" "motion, dynamics, 2 rows"; do
  "$poise" check "$task" | grep -q "term  *$use, from " || fail "check does not tell \"$use\""
done
"$poise" solve "$task" -o "$folder/result.json" >"$folder/out" || fail "solve: $(cat "$folder/out")"
grep -q '"verified": true' "$folder/result.json" || fail "not verified"
grep -q '"function": "wall"' "$folder/result.json" || fail "the result does not name the terms"

# dynamics that give accelerations, in a formulation that wants forces
"$poise" solve "$task" --formulation IMPL 2>"$folder/error" && fail "IMPL is taken"
grep -q 'explicit ODE formulation' "$folder/error" || fail "$(cat "$folder/error")"
echo "casadi terms: made, solved, verified"
