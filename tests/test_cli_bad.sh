#!/bin/sh
# SPDX-License-Identifier: MIT
# test_cli_bad.sh POISE: poise solve with bad tasks, guesses, options and places to write to: exit code 2, one
# line that says why, nothing written. Runs in the root of the source tree.
poise=$1
root=$PWD
. tests/cli_support.sh

# changed TASK SED NAME: a task of tasks/ with a change, as $tmp/NAME.json
changed() {
  sed -e "s#\.\./configs#$root/configs#" -e "$2" "tasks/$1.json" >"$tmp/$3.json"
}

cases=0
# bad MESSAGE TASK SED: solve refuses the changed task and writes nothing
bad() {
  changed "$2" "$3" bad
  refused "$1" solve "$tmp/bad.json" -o "$tmp/result.json" --csv "$tmp/result.csv" --html "$tmp/result.html"
  for left in "$tmp"/result.*; do
    [ ! -e "$left" ] || complain "wrote $left"
  done
  cases=$((cases + 1))
}

bad 'unknown frame "tpi"; did you mean "tip"' reach 's/"tip"/"tpi"/'
bad 'horizon: 0 s is not above 0' reach 's/"horizon": 2/"horizon": 0/'
bad 'horizon: -1 s is not above 0' reach 's/"horizon": 2/"horizon": -1/'
bad 'horizon' reach 's/"horizon": 2/"horizon": "2"/'
bad 'intervals: 0 is out of range' reach 's/"intervals": 100/"intervals": 0/'
bad 'intervals' reach 's/"intervals": 100/"intervals": 2.5/'
bad 'intervals: 20000 is out of range' reach 's/"intervals": 100/"intervals": 20000/'
bad 'degree: 12 is out of range' reach 's/"degree": 4/"degree": 12/'
bad 'degree: 0 is out of range' reach 's/"degree": 4/"degree": 0/'
bad 'scheme' reach 's/"scheme": "radau"/"scheme": "euler"/'
bad 'layout' reach 's/"layout": "condensed"/"layout": "dense"/'
bad 'formulation' reach 's/"formulation": "IMPL"/"formulation": "IMPLICIT"/'
bad 'unknown key "horizn"; did you mean "horizon"' reach 's/"horizon"/"horizn"/'
bad "can't read robot file" reach 's/arm_pendulum/nobody/'
bad 'outside of its limits' reach 's/{"pose": "start"}/{"pose": "start", "q": {"q3": 0.5}}/'
bad 'unknown joint "q9"' reach 's/{"pose": "start"}/{"pose": "start", "q": {"q9": 0.5}}/'
bad 'start.q' reach 's/{"pose": "start"}/{"q": [0, 0, 0]}/'
bad 'unknown pose' reach 's/{"pose": "start"}/{"pose": "strat"}/'
bad 'start.v' reach 's/{"pose": "start"}/{"pose": "start", "v": [1]}/'
bad 'line [0-9]*, column' reach 's/0.63, 0, -0.1/NaN, 0, -0.1/'
bad 'goal.position' reach 's/0.63, 0, -0.1/0.63, 0/'
bad 'goal.position' reach 's/0.63, 0, -0.1/1e12, 0, 0/'
bad 'limits.torque' reach 's/{"inner": true}/{"torque": {"q2": [5, -5]}}/'
bad 'limits.position' reach 's/{"inner": true}/{"position": {"q2": [1, -1]}}/'
bad 'q5' reach 's/{"inner": true}/{"torque": {"q5": 5}}/'
bad 'limits.velocity' reach 's/{"inner": true}/{"velocity": {"q2": -3}}/'
bad 'limits.torque_rate' reach 's/{"inner": true}/{"torque_rate": {"q2": -3}}/'
bad 'cost.torque' reach_smooth 's/"torque": 1,/"torque": -1,/'
bad 'unknown key "torqe"' reach_smooth 's/"torque": 1,/"torqe": 1,/'
bad 'unknown strategy "genetic"' reach 's/"guess": "hold"/"guess": "hold", "strategy": "genetic"/'
bad 'strategy.starts' reach 's/"guess": "hold"/"guess": "hold", "strategy": {"kind": "multistart", "starts": 0}/'
bad 'strategy.refine' reach 's/"guess": "hold"/"guess": "hold", "strategy": {"refine": 1}/'
bad 'unknown guess' reach 's/"guess": "hold"/"guess": "luck"/'
bad "can't read result file" reach 's/"guess": "hold"/"guess": {"file": "none.json"}/'
bad 'not a result' reach "s#\"guess\": \"hold\"#\"guess\": {\"file\": \"$root/tasks/reach.json\"}#"
bad 'radius' reach_around 's/"radius": [0-9.]*/"radius": -1/'
bad 'missing "goal"' reach '/"goal"/,/equilibrium/d'
bad 'missing "robot"' reach '/"robot"/d'
bad 'solver' reach 's/"guess": "hold"/"guess": "hold", "solver": {"tol": [1]}/'
bad 'magic' reach 's/"guess": "hold"/"guess": "hold", "solver": {"magic": 1}/'
bad 'tol' reach 's/"guess": "hold"/"guess": "hold", "solver": {"tol": -1}/'
bad 'line' reach '$d'
[ "$cases" -ge 40 ] || { echo "only $cases bad tasks"; failures=1; }

# options
changed cartpole_swingup 's/"intervals": 100/"intervals": 10/' good
task=$tmp/good.json
refused 'no such file' solve "$tmp/none.json"
refused 'unknown value "papr"; one of' solve "$task" --layout papr
refused 'unknown value "warm"; one of' solve "$task" --strategy warm
refused 'is not key=value' solve "$task" --set tol
refused '--refine' solve "$task" --refine -1
refused '--refine' solve "$task" --refine tiny
refused 'magic' solve "$task" --set magic=1
refused 'nowhere' solve "$task" --options "$tmp/nowhere.opt"

# the guess of another robot
ok solve "$task" --exact --no-verify -o "$tmp/cart.result.json"
changed reach "s#\"guess\": \"hold\"#\"guess\": {\"file\": \"$tmp/cart.result.json\"}#" other
refused 'a trajectory of another robot' solve "$tmp/other.json" -o "$tmp/other.result.json"
[ ! -e "$tmp/other.result.json" ] || complain "wrote a result"

# places that can't be written to: found before solving where that is possible
for option in --output --csv --html; do
  refused "can't write to the folder" solve "$task" $option "$tmp/nowhere/x"
  refused "can't write to the folder" solve "$task" $option "$task/x"
  refused 'is a folder' solve "$task" --exact --no-verify $option "$tmp"
done
if [ "$(id -u)" -ne 0 ]; then
  mkdir "$tmp/closed" && chmod 555 "$tmp/closed"
  refused "can't write to the folder" solve "$task" -o "$tmp/closed/x.json"
fi

# a full disk: a device that always is, and a limit on the size of files; what there was stays
if [ -w /dev/full ]; then
  refused 'No space left on device' solve "$task" --exact --no-verify -o /dev/full
fi
echo old >"$tmp/kept.json"
(ulimit -f 1; refused 'kept.json: .*[Ff]ile too large' solve "$task" --exact --no-verify -o "$tmp/kept.json"
 exit $failures) || failures=1
[ "$(cat "$tmp/kept.json")" = old ] || { echo "a result that did not fit has replaced the old one"; failures=1; }
[ "$(find "$tmp" -name 'kept*' | wc -l)" -eq 1 ] || { echo "left something behind"; failures=1; }

exit $failures
