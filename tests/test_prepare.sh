#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/run and tools/test on machines that lack something: made-up dpkg-query, id, sudo, apt-get and
# cmake in front of PATH, and a copy of tools/ in a folder with a blank in its name.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failures=0
tree="$tmp/a tree"
mkdir -p "$tree/tools" "$tmp/bin"
cp tools/run tools/test tools/prepare.sh "$tree/tools"
printf '# comment\nbuild-essential\nno-such-lib # why\n' >"$tree/tools/packages.txt"

# fake NAME BODY: a command of the made-up machine; each call is noted in calls
fake() {
  printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\n%s\n' "$1" "$tmp" "$2" >"$tmp/bin/$1"
  chmod +x "$tmp/bin/$1"
}
fake dpkg-query 'case $* in *no-such-lib*) [ -e "'"$tmp"'/installed" ] || exit 1 ;; esac; printf installed'
fake id 'echo 1000'
fake sudo 'exit 1'
fake apt-get 'exit 0'
fake cmake 'echo "configure says no"; exit 1'
fake ninja 'exit 0'

# run CODE: runs the copy, checks the exit code and that stdout is empty
run() {
  : >"$tmp/calls"
  PATH="$tmp/bin:$PATH" "$tree/tools/run" --version >"$tmp/out" 2>"$tmp/err"
  status=$?
  [ "$status" -eq "$1" ] || fail "exit code $status instead of $1"
  [ ! -s "$tmp/out" ] || fail "wrote on stdout"
}
fail() {
  echo "$case: $*"
  sed 's/^/  /' "$tmp/out" "$tmp/err" "$tmp/calls"
  failures=1
}

case="not root, no sudo"
run 2
grep -qx '  apt-get install -y --no-install-recommends no-such-lib' "$tmp/err" || fail "no apt-get line"
grep -q '^apt-get' "$tmp/calls" && fail "called apt-get all the same"

case="sudo"
fake sudo '[ "$1" = -n ] && shift; exec "$@"'
run 3
grep -qx 'apt-get install -y --no-install-recommends no-such-lib' "$tmp/calls" || fail "did not install"

case="root, the build fails"
fake id 'echo 0'
rm -rf "$tree/build"
run 3
grep -qx 'apt-get update' "$tmp/calls" || fail "did not update"
grep -q '^sudo' "$tmp/calls" && fail "root needs no sudo"
grep -q 'configure says no' "$tmp/err" || fail "the log is not shown"

case="root, apt-get fails"
fake apt-get 'echo "no network"; exit 100'
rm -rf "$tree/build"
run 2
grep -q 'no network' "$tmp/err" || fail "the log is not shown"

case="everything is there"
touch "$tmp/installed"
fake cmake 'while [ "$1" != -B ]; do shift; done; touch "$2/build.ninja"'
fake ninja 'printf "#!/bin/sh\necho ran >&2\n" >"$2/poise"; chmod +x "$2/poise"'
run 0
[ "$(cat "$tmp/err")" = ran ] || fail "did not run the program, or said more"
grep -q '^apt-get' "$tmp/calls" && fail "installed without need"

exit $failures
