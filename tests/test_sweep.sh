#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/test_sweep.sh POISE: sweeps from outside: the same journal whoever works and however often the work is
# killed; crashes, timeouts and kills of workers; shards; a lock that dies with its holder; relax.
poise=$1
. tests/cli_support.sh
grid=tests/data/sweep/crane_grid.json
n_run=40

# results DIR: what must not depend on how the work was done
results() {
  sed 's/^{"key": "\([0-9a-f]*\)".*"point": {\([^}]*\)}.*"name": "\([^"]*\)".*"status": "\([^"]*\)".*"objective": \([^,]*\), "iterations": \([^,]*\),.*/\1 \2 \3 \4 \5 \6/' \
    "$1/journal.jsonl" | sort
}

# same DIR: the same results as the undisturbed sweep, every run once
same() {
  results "$1" >"$tmp/results"
  [ "$(wc -l <"$tmp/results")" -eq "$(cut -d' ' -f1 <"$tmp/results" | sort -u | wc -l)" ] ||
    complain "$1: a run is there twice"
  cmp -s "$tmp/results" "$tmp/expected" || complain "$1: results differ"
}

children() {
  cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent="$1" '{ sub(/\(.*\)/, "x"); if ($4 == parent) print $1 }'
}

# wait_for COMMAND...: until it succeeds, 60 s at most
wait_for() {
  for i in $(seq 600); do
    "$@" && return 0
    sleep 0.1
  done
  complain "waited in vain for: $*"
  return 1
}
has_lines() { [ -f "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]; }

# ---- undisturbed, 1 job and 2 ----
call 0 sweep $grid -o "$tmp/one" -j1
says "$n_run runs, 0 of them were on disk: $n_run solved and verified"
grep -q "^$n_run/$n_run, $n_run good" "$tmp/err" || complain "no progress in plain lines"
[ "$(wc -l <"$tmp/one/journal.jsonl")" -eq $n_run ] || complain "not $n_run lines"
results "$tmp/one" >"$tmp/expected"
call 0 sweep $grid -o "$tmp/two" -j2 -q
[ ! -s "$tmp/err" ] || complain "--quiet is not"
same "$tmp/two"

# ---- resume: nothing to do, and nothing is done ----
cp "$tmp/one/journal.jsonl" "$tmp/before"
call 0 sweep $grid -o "$tmp/one" --resume
says "$n_run of them were on disk"
cmp -s "$tmp/one/journal.jsonl" "$tmp/before" || complain "resume changed a complete journal"
refused 'there are runs already' sweep $grid -o "$tmp/one" --fresh

# ---- a torn last line is dropped and run again ----
mkdir "$tmp/torn"
cp "$tmp/one/"* "$tmp/torn"
size=$(wc -c <"$tmp/torn/journal.jsonl")
head -c $((size - 30)) "$tmp/one/journal.jsonl" >"$tmp/torn/journal.jsonl"
call 0 sweep $grid -o "$tmp/torn" -q
says "$((n_run - 1)) of them were on disk"
same "$tmp/torn"

# ---- killed 20 times at random moments ----
line="sweep, killed 20 times"
kills=0
for pause in $(awk 'BEGIN { srand(5); for (i = 0; i < 20; i++) print 0.02 + 0.4 * rand() }'); do
  "$poise" sweep $grid -o "$tmp/killed" -j2 -q >"$tmp/out" 2>"$tmp/err" &
  sweep=$!
  sleep "$pause"
  kill -9 $sweep 2>/dev/null && kills=$((kills + 1))
  wait $sweep 2>/dev/null
  # what was on disk stays: the journal only grows
  [ -f "$tmp/last" ] && { head -c "$(wc -c <"$tmp/last")" "$tmp/killed/journal.jsonl" | cmp -s - "$tmp/last" ||
    complain "a line was lost or rewritten"; }
  [ -f "$tmp/killed/journal.jsonl" ] && awk 'FNR > 1 { print last } { last = $0 } END { if (last ~ /}$/) print last }' \
    "$tmp/killed/journal.jsonl" >"$tmp/last"
done
call 0 sweep $grid -o "$tmp/killed" -q
same "$tmp/killed"

# ---- shards ----
call 0 sweep $grid -o "$tmp/shard1" --shard 1/2 -q
says '20 runs'
call 0 sweep $grid -o "$tmp/shard2" --shard 2/2 -q
ok merge -o "$tmp/merged" "$tmp/shard1" "$tmp/shard2"
says '40 runs of 2 folders'
same "$tmp/merged"
ok merge -o "$tmp/merged" "$tmp/shard2"
says '^0 runs'
call 0 sweep $grid -o "$tmp/merged" -q
says "$n_run of them were on disk"
refused '3/2: i must be from 1 to n' sweep $grid -o "$tmp/x" --shard 3/2
refused 'is not i/n' sweep $grid -o "$tmp/x" --shard two

# ---- one line for what goes wrong in a worker, and the others go on ----
cat >"$tmp/long.json" <<END
{"task": "$PWD/tests/data/sweep/crane.json", "refine": false,
 "axes": [{"key": "intervals", "values": [16, 9000, 18]}]}
END
call 1 sweep "$tmp/long.json" -o "$tmp/slow" -j1 -q --timeout 1.5
says '2 solved and verified, 1 failed'
grep -q '"intervals": 9000.*"status": "timeout"' "$tmp/slow/journal.jsonl" || complain "no timeout in the journal"
for signal in SEGV KILL; do
  "$poise" sweep "$tmp/long.json" -o "$tmp/$signal" -j1 -q >"$tmp/out" 2>"$tmp/err" &
  sweep=$!
  line="sweep whose worker gets SIG$signal"
  wait_for has_lines "$tmp/$signal/journal.jsonl" 1
  sleep 0.3
  # the worker of the second run
  kill -$signal $(children $sweep)
  wait $sweep
  [ $? -eq 1 ] || complain "exit code is not 1"
  [ "$(grep -c Solve_Succeeded "$tmp/$signal/journal.jsonl")" -eq 2 ] || complain "the others did not go on"
done
grep -q '"intervals": 9000.*"status": "crashed", "message": "[^"]' "$tmp/SEGV/journal.jsonl" || complain "no crash in the journal"
grep -q '"intervals": 9000.*"status": "killed", "message": "signal 9' "$tmp/KILL/journal.jsonl" || complain "no kill in the journal"
# it is a result, and is not tried again unless asked
call 1 sweep "$tmp/long.json" -o "$tmp/slow" -q
says '3 of them were on disk'
call 1 sweep "$tmp/long.json" -o "$tmp/slow" -q --retry --timeout 1
says '2 of them were on disk'

# ---- one sweep at a time; a killed one does not count ----
"$poise" sweep "$tmp/long.json" -o "$tmp/locked" -j1 -q >"$tmp/out" 2>"$tmp/err" &
sweep=$!
wait_for has_lines "$tmp/locked/journal.jsonl" 1
refused 'another sweep (process' sweep "$tmp/long.json" -o "$tmp/locked" -q
worker=$(children $sweep)
kill -9 $sweep
wait $sweep 2>/dev/null
line="sweep that was killed"
gone() { [ -z "$worker" ] || ! kill -0 "$worker" 2>/dev/null; }
wait_for gone
call 1 sweep "$tmp/long.json" -o "$tmp/locked" -q --timeout 1
# Ctrl-C: nothing is recorded of what was under way
rm -rf "$tmp/locked"
"$poise" sweep "$tmp/long.json" -o "$tmp/locked" -j1 -q >"$tmp/out" 2>"$tmp/err" &
sweep=$!
wait_for has_lines "$tmp/locked/journal.jsonl" 1
kill -TERM $sweep
wait $sweep
status=$?
line="sweep, interrupted"
[ $status -eq 130 ] || complain "exit code $status instead of 130"
says 'interrupted: the same command goes on'
[ "$(wc -l <"$tmp/locked/journal.jsonl")" -eq 1 ] || complain "an interrupted run was recorded"

# ---- another robot's folder ----
printf '{"task": "%s/tasks/acrobot_swingup.json", "axes": []}' "$PWD" >"$tmp/other.json"
refused 'of another robot' sweep "$tmp/other.json" -o "$tmp/one" -q

# ---- relax: every point gets there in the end, mirror images agree, jobs and kills change nothing ----
relax=tests/data/sweep/crane_relax.json
call 1 sweep $relax -o "$tmp/relax1" -j1 -q
says '^relax: .* rounds'
call 1 sweep $relax -o "$tmp/relax2" -j2 -q
results "$tmp/relax1" >"$tmp/expected"
same "$tmp/relax2"
line="sweep with relax"
grep -c '"solved": true, "verified": true' "$tmp/relax1/journal.jsonl" >/dev/null || complain "nothing was solved"
sed -n 's/.*"cart": \([^}]*\)}.*"verified": true, "objective": \([^,]*\),.*/\1 \2/p' "$tmp/relax1/journal.jsonl" | awk '
  { p = sprintf("%.3f", $1 + 0); if (!(p in best) || $2 < best[p]) best[p] = $2 }
  END {
    for (p in best) n++
    if (n != 7) print n " points of 7 are solved"
    for (p in best) {
      q = sprintf("%.3f", -p + 0)
      d = best[p] - best[q]
      if (d * d > 1e-18) print p " costs " best[p] ", its image " best[q]
    }
  }' >"$tmp/symmetry"
[ ! -s "$tmp/symmetry" ] || complain "$(cat "$tmp/symmetry")"
grep -q '"round": 1, "source"' "$tmp/relax1/journal.jsonl" || complain "no round was made"
# killed in the middle of a round
"$poise" sweep $relax -o "$tmp/relax3" -j2 -q >"$tmp/out" 2>"$tmp/err" &
sweep=$!
wait_for has_lines "$tmp/relax3/journal.jsonl" 10
kill -9 $sweep 2>/dev/null
wait $sweep 2>/dev/null
call 1 sweep $relax -o "$tmp/relax3" -q
same "$tmp/relax3"

# ---- words ----
ok sweep $grid --dry-run
says '^40 runs in the first pass'
says 'plane of symmetry with normal (1, 0, 0): 4 pairs'
ok explain linspace
ok explain cases.strategy
refused 'needs -o DIR' sweep $grid
refused 'which SWEEP.json' sweep -o "$tmp/x"
refused 'merge needs -o DIR' merge "$tmp/one"
refused 'not shards of one sweep' merge -o "$tmp/x" "$tmp/one" "$tmp/slow"
exit $failures
