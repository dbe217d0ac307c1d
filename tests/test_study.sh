#!/bin/sh
# SPDX-License-Identifier: MIT
# poise study: lists the studies, refuses unknown ones, and the quick ones reach their figures.
poise=$1
fail() { echo "$1" >&2; exit 1; }
"$poise" study | grep -q '^negrut ' || fail "negrut is not listed"
"$poise" study negrutt 2>&1 | grep -q 'did you mean "negrut"' || fail "unknown study without a suggestion"
out=$("$poise" study negrut --quick) || fail "negrut --quick misses figures: $out"
echo "$out" | grep -q 'no fill-in in 1000 of 1000 trees' || fail "fill-in: $out"
echo "$out" | grep -q 'largest difference from LAPACK, relative: [0-9.]*e-1[0-9]' || fail "solves differ: $out"
out=$("$poise" study anderson --quick) || fail "anderson --quick misses figures: $out"
echo "$out" | grep -q 'RCR: at most 2.0[0-9]* times when the loops double' || fail "growth: $out"
out=$("$poise" study tasora --quick) || fail "tasora --quick misses figures: $out"
echo "$out" | grep -q 'operations grow as n^1.0[0-9]*' || fail "growth: $out"
# the one figure of Ascher and Lin that is out of reach (docs/closed_loops.md), and no other
out=$("$poise" study ascher-lin --quick) && fail "ascher-lin --quick reaches everything: $out"
[ "$(echo "$out" | grep -c MISSED)" = 1 ] || fail "ascher-lin --quick misses figures: $out"
echo "$out" | grep -q 'MISSED   AlgI to three digits' || fail "ascher-lin --quick misses another figure: $out"
