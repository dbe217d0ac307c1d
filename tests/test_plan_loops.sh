#!/bin/sh
# SPDX-License-Identifier: MIT
# test_plan_loops.sh POISE: a plan for a mechanism with a loop, verified and replayed by other methods.
poise=$1
tmp=$(mktemp -d) || exit 3
trap 'rm -rf "$tmp"' EXIT
fail() { echo "$1" >&2; exit 1; }
task=tasks/fourbar_start_stop.json
for form in EXP1-O EXP2-O EXP1-A; do
  "$poise" solve $task -f $form -o "$tmp/$form.json" > "$tmp/out" 2> "$tmp/err" || fail "$form: $(cat "$tmp/out" "$tmp/err")"
  grep -q 'verification  passed by TREE+LAMBDA' "$tmp/out" || fail "$form: $(cat "$tmp/out")"
  grep -q 'objective     4.2469918' "$tmp/out" || fail "$form: another optimum: $(cat "$tmp/out")"
done
"$poise" simulate "$tmp/EXP1-O.json" --robot configs/mechanisms/fourbar.json --method RCR --json > "$tmp/out" || fail "replay"
python3 - "$tmp/out" <<'END' || fail "the replay ends elsewhere"
import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(r["off_the_plan"]["q"] > 1e-5 or r["violation"]["position"] > 1e-6)
END
"$poise" solve $task -f IMPL 2>&1 | grep -q 'loop "pin"' || fail "IMPL takes a loop"
"$poise" template configs/mechanisms/fourbar.json 2>&1 | grep -q 'loop "pin"' || fail "a template for a loop"
