#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/test_sweep_mpi.sh POISE: three ranks give what one job gives; a killed rank costs nothing that was done.
poise=$1
command -v mpirun >/dev/null || exit 77
. tests/cli_support.sh
grid=tests/data/sweep/crane_grid.json
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export ASAN_OPTIONS=detect_leaks=0 # MPI's own

results() {
  sed 's/^{"key": "\([0-9a-f]*\)".*"status": "\([^"]*\)".*"objective": \([^,]*\), "iterations": \([^,]*\),.*/\1 \2 \3 \4/' \
    "$1/journal.jsonl" | sort
}

children() {
  cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent="$1" '{ sub(/\(.*\)/, "x"); if ($4 == parent) print $1 }'
}

call 0 sweep $grid -o "$tmp/one" -j1 -q
line="mpirun -n 3 sweep"
mpirun --oversubscribe -n 3 "$poise" sweep $grid -o "$tmp/three" -q >"$tmp/out" 2>"$tmp/err"
code=$?
grep -q 'built without MPI' "$tmp/err" && exit 77
[ $code -eq 0 ] || complain "exit code $code"
says '40 runs, 0 of them were on disk: 40 solved'
[ "$(results "$tmp/one")" = "$(results "$tmp/three")" ] || complain "results differ"

# a bad file ends all ranks
mpirun --oversubscribe -n 3 "$poise" sweep nowhere.json -o "$tmp/x" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 2 ] || complain "exit code of a bad file is not 2"
[ "$(grep -c '^poise: nowhere.json' "$tmp/err")" -eq 1 ] || complain "not one message"

# one rank is killed: mpirun ends the others; what is in the journal stays
mpirun --oversubscribe -n 3 "$poise" sweep $grid -o "$tmp/killed" -q >"$tmp/out" 2>"$tmp/err" &
mpirun=$!
for i in $(seq 600); do
  [ -f "$tmp/killed/journal.jsonl" ] && [ "$(wc -l <"$tmp/killed/journal.jsonl")" -ge 5 ] && break
  sleep 0.05
done
victim=$(children $mpirun | tail -n 1)
kill -9 "$victim"
wait $mpirun 2>/dev/null
head -n 5 "$tmp/killed/journal.jsonl" >"$tmp/first"
call 0 sweep $grid -o "$tmp/killed" -q
line="sweep after a killed rank"
head -n 5 "$tmp/killed/journal.jsonl" | cmp -s - "$tmp/first" || complain "lines were lost"
[ "$(results "$tmp/one")" = "$(results "$tmp/killed")" ] || complain "results differ"
exit $failures
