#!/bin/sh
# SPDX-License-Identifier: MIT
# test_cli.sh POISE VERSION: the program from outside: output, streams, exit codes. Runs in the root
# of the source tree.
poise=$1
version=$2
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failures=0

complain() {
  echo "poise $line: $*"
  sed 's/^/  stdout: /' "$tmp/out"
  sed 's/^/  stderr: /' "$tmp/err"
  failures=1
}

# call CODE ARGS...: runs poise, keeps both streams, checks the exit code
call() {
  code=$1
  shift
  line=$*
  "$poise" "$@" >"$tmp/out" 2>"$tmp/err"
  status=$?
  [ "$status" -eq "$code" ] || complain "exit code $status instead of $code"
}

# ok ARGS...: succeeds, says something, and nothing on stderr
ok() {
  call 0 "$@"
  [ -s "$tmp/out" ] || complain "printed nothing"
  [ ! -s "$tmp/err" ] || complain "wrote on stderr"
}

# refused MESSAGE ARGS...: exit code 2, nothing on stdout, one line "poise: MESSAGE"
refused() {
  message=$1
  shift
  call 2 "$@"
  [ ! -s "$tmp/out" ] || complain "wrote on stdout"
  [ "$(wc -l <"$tmp/err")" -eq 1 ] || complain "message is not one line"
  grep -q -- "^poise: .*$message" "$tmp/err" || complain "message is not \"$message\""
}

says() {
  grep -q -- "$1" "$tmp/out" || complain "does not say \"$1\""
}

# version and help
ok --version
says "^poise $version\$"
for args in --help -h help; do
  ok $args
  says '^Commands:'
  says '^  check '
done
for command in $("$poise" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  ok help "$command"
  cp "$tmp/out" "$tmp/help"
  ok "$command" --help
  cmp -s "$tmp/out" "$tmp/help" || complain "help $command and $command --help differ"
  says "^Usage: poise $command"
  says '^Example:'
  says "^  .*poise $command "
  # the manual page knows every command and option of the help
  grep -q "^\.SS $command\$" docs/poise.1 || complain "docs/poise.1 has no section for $command"
  for option in $(sed -n 's/^  .*--\([a-z-]*\).*/\1/p' "$tmp/help"); do
    grep -q -- "\\\\-\\\\-$(echo "$option" | sed 's/-/\\\\\\\\-/g')" docs/poise.1 ||
      complain "docs/poise.1 does not mention --$option"
  done
done

# usage mistakes
call 2
[ ! -s "$tmp/out" ] || complain "wrote on stdout"
refused "unknown command 'chekc', did you mean check?" chekc
refused "unknown command 'wonderful', see 'poise --help'" wonderful
refused "unknown command 'chekc', did you mean check?" help chekc
refused "unknown option '--verison'" --verison
refused "check needs ROBOT.json" check
refused "unexpected argument 'b'" check a b
refused "unknown option '--jsn', did you mean --json?" check a --jsn
refused "option --json takes no value" check a --json=1
refused "option --json is given twice" check a --json --json

# check: good files
for robot in configs/robots/*.json; do
  ok check "$robot"
  says 'degrees of freedom'
  says 'total mass'
  ok check "$robot" --json
  says '"degrees_of_freedom": [0-9]'
  says '"warnings": \['
done
ok check configs/robots/arm_pendulum.json
says 'degrees of freedom  *6$'
says 'actuated  *4$'
says 'degree of underactuation  *2$'
says 'total mass  *6 kg$'
says '^  3  *q4  *revolute  *q3  *hand .*yes'
says '^  tip .*hand$'
ok check --json configs/robots/arm_pendulum.json
says '"name": "q1", "type": "revolute", "parent": null'
says '"underactuation": 2'

# check: bad files
printf '' >"$tmp/empty.json"
printf '{"name": ' >"$tmp/cut.json"
refused "none.json" check "$tmp/none.json"
refused "empty.json" check "$tmp/empty.json"
refused "cut.json" check "$tmp/cut.json"
refused "$tmp" check "$tmp"

# output that is lost is not success
if [ -c /dev/full ]; then
  for args in --version --help "check --help"; do
    line="$args >/dev/full"
    : >"$tmp/out"
    "$poise" $args >/dev/full 2>"$tmp/err"
    [ $? -eq 3 ] || complain "exit code is not 3"
    grep -q '^poise: standard output: ' "$tmp/err" || complain "does not say that the output was lost"
  done
fi

exit $failures
