#!/bin/sh
# SPDX-License-Identifier: MIT
# poise assemble: closes an open four-bar, writes it, and says what it can't close.
poise=$1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
fail() { echo "$1" >&2; exit 1; }
file=configs/mechanisms/fourbar.json
sed 's/"crank": 1.0/"crank": 1.2/' $file > "$tmp/open.json"
"$poise" check "$tmp/open.json" 2> "$tmp/err" && fail "an open mechanism passes"
grep -q 'loops\[0\]: loop "pin": not closed at the start configuration' "$tmp/err" || fail "$(cat "$tmp/err")"
"$poise" assemble "$tmp/open.json" -o "$tmp/closed.json" > "$tmp/out" || fail "does not close"
grep -q 'moved  *0.0[0-9]* m' "$tmp/out" || fail "does not say how far: $(cat "$tmp/out")"
"$poise" check "$tmp/closed.json" > "$tmp/out" || fail "the closed file does not pass"
grep -q 'degrees of freedom  *1$' "$tmp/out" || fail "degrees of freedom: $(cat "$tmp/out")"
# a coupler too short to reach
sed 's/"xyz": \[0.5, 0, 0\], "axis"/"xyz": [0.05, 0, 0], "axis"/; s/"crank": 1.0/"crank": 3.0/; s/"xyz": \[0.4, 0, 0\]/"xyz": [0.1, 0, 0]/' $file > "$tmp/short.json"
"$poise" assemble "$tmp/short.json" > "$tmp/out" 2> "$tmp/err"
[ $? -eq 1 ] || fail "exit code of what can't be closed"
grep -q "loop \"pin\": can't be closed" "$tmp/err" || fail "$(cat "$tmp/err")"
"$poise" assemble configs/robots/cartpole.json 2>&1 | grep -q 'has no loops' || fail "a robot without loops"
# info counts every method; what knows trees only refuses loops
"$poise" info $file | grep -q 'TREE+AUG  *[0-9]' || fail "info does not count TREE+AUG"
"$poise" info configs/mechanisms/net3x4.json | grep -q 'RCR  *does not apply: loop "mesh' || fail "info: RCR on the net"
"$poise" codegen $file -o "$tmp" 2>&1 | grep -q 'loop "pin"' || fail "codegen takes a robot with loops"
