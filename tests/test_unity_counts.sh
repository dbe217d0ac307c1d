#!/bin/sh
# SPDX-License-Identifier: MIT
# test_unity_counts.sh FAILING_EXECUTABLE: each of its tests fails, with file, line, name and message.
out=$("$1")
status=$?
n=$(printf '%s\n' "$out" | grep -c '^.*test_unity_fails\.c:[0-9]*:fails_[a-z_0-9]*:FAIL')
if [ "$status" -ne 25 ] || [ "$n" -ne 25 ] || ! printf '%s\n' "$out" | grep -q '^25 Tests 25 Failures 0 Ignored'; then
  printf '%s\n' "$out"
  echo "expected 25 failures in output, summary and exit code; got $n in the output, exit code $status"
  exit 1
fi
for message in 'told why' 'Expected 1 Was 2' 'Element 1'; do
  if ! printf '%s\n' "$out" | grep -q "$message"; then
    echo "no line says \"$message\""
    exit 1
  fi
done
