#!/bin/sh
# SPDX-License-Identifier: MIT
# test_install.sh CMAKE BUILD_DIR VERSION: `cmake --install` gives a program that runs elsewhere.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset DESTDIR
if ! "$1" --install "$2" --prefix "$tmp/usr" >"$tmp/log" 2>&1; then
  cat "$tmp/log"
  exit 1
fi
cd "$tmp" || exit 1
[ "$(usr/bin/poise --version)" = "poise $3" ] || { echo "bin/poise does not run"; exit 1; }
[ -s usr/share/man/man1/poise.1 ] || { echo "no manual page"; exit 1; }
find usr -name LICENSE | grep -q . || { echo "no licence"; exit 1; }
for robot in usr/share/poise/robots/*.json; do
  usr/bin/poise check "$robot" >/dev/null || exit 1
done
