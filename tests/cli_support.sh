# SPDX-License-Identifier: MIT
# Sourced by the tests of the program from outside, which set $poise and end with "exit $failures".
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
