#!/bin/sh
# SPDX-License-Identifier: MIT
# test_simulate_loops.sh POISE: poise simulate on mechanisms: files it writes, and what it refuses.
poise=$1
tmp=$(mktemp -d) || exit 3
trap 'rm -rf "$tmp"' EXIT
fail() { echo "$1" >&2; exit 1; }
file=configs/mechanisms/fourbar.json
for way in "RCR rk4" "TREE+AUG euler" "TREE+LAMBDA rk2" "GAUSS cvode" "TREE+AUG ida" "MAXIMAL rk4"; do
  set -- $way
  "$poise" simulate $file --method "$1" --integrator "$2" --step 0.01 --until 0.2 -o "$tmp/o.json" \
    --csv "$tmp/o.csv" --html "$tmp/o.html" > "$tmp/out" 2> "$tmp/err" || fail "$way: $(cat "$tmp/err")"
  grep -q 'loops apart by at most' "$tmp/out" || fail "$way: no violation in $(cat "$tmp/out")"
  [ "$(wc -l < "$tmp/o.csv")" -eq 22 ] || fail "$way: $(wc -l < "$tmp/o.csv") lines of CSV"
  grep -q '"violation"' "$tmp/o.json" || fail "$way: no violation in the JSON"
  grep -q '"name": "pin", "type": "revolute"' "$tmp/o.html" || fail "$way: no loop on the page"
done
"$poise" simulate $file --method SRM --integrator rk4 --step 1e-3 --eps 0.01 --until 0.1 > "$tmp/out" || fail "SRM"
refuse() { # PATTERN OPTIONS...
  pattern=$1
  shift
  "$poise" simulate "$@" > "$tmp/out" 2> "$tmp/err"
  [ $? -eq 2 ] || fail "$*: exit code"
  grep -q "$pattern" "$tmp/err" || fail "$*: $(cat "$tmp/err")"
}
refuse 'not one of TREE+AUG' $file --method FOO
refuse 'not one of euler' $file --integrator rk9
refuse 'loop "mesh' configs/mechanisms/net3x4.json --method RCR
refuse 'fixed steps' $file --method SRM
refuse 'is for --method SRM' $file --eps 0.1
refuse 'choose a --method' $file --formulation EXP1
refuse 'has none' configs/robots/cartpole.json --method RCR
echo '[{"q": [1.1, -0.526, 1.438], "v": [0, 0, 0], "tau": [0, 0, 0]}]' > "$tmp/open.json"
refuse 'loop "pin" is open by .*poise assemble' $file --state "$tmp/open.json"
echo '[{"q": [1.0, -0.5260888249335929, 1.4380176710407746], "v": [1, 0, 0], "tau": [0, 0, 0]}]' > "$tmp/torn.json"
refuse 'tear the loops apart' $file --state "$tmp/torn.json"
