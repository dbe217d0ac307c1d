#!/bin/sh
# SPDX-License-Identifier: MIT
# test_casadi.sh CASADI_EMIT: CasADi runs our functions and we run CasADi's. Skipped (77) without a Python
# that has casadi ($POISE_PYTHON, $PYTHON, python3, .venv-casadi/bin/python) or without a C compiler.
emit=$1
python=
for candidate in "${POISE_PYTHON:-}" "${PYTHON:-}" python3 .venv-casadi/bin/python; do
  [ -n "$candidate" ] || continue
  if "$candidate" -c 'import casadi' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo "skipped: no Python with casadi here"; exit 77; }
${CC:-cc} --version >/dev/null 2>&1 || { echo "skipped: no C compiler here"; exit 77; }
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT
"$python" tests/casadi_check.py "$emit" "$folder"
