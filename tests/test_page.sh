#!/bin/sh
# SPDX-License-Identifier: MIT
# test_page.sh POISE: pages of real solves, a good, a failed and an unverified one, in a headless browser.
# Skipped (77) without Chromium ($CHROMIUM, chromium, chromium-browser, google-chrome) or Python 3.
poise=$1
chromium=
for candidate in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
  [ -n "$candidate" ] || continue
  if command -v "$candidate" >/dev/null 2>&1; then chromium=$candidate; break; fi
done
[ -n "$chromium" ] || { echo "skipped: no chromium here"; exit 77; }
python3 -c 'import select' 2>/dev/null || { echo "skipped: no Python 3 here"; exit 77; }
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT
failures=0

# page NAME CODE CHECK_OPTION OPTIONS...: solves the cart-pole with OPTIONS and looks at the page
page() {
  name=$1 code=$2 check=$3
  shift 3
  "$poise" solve tasks/cartpole_swingup.json --html "$folder/$name.html" "$@" >"$folder/out" 2>&1
  status=$?
  [ "$status" -eq "$code" ] || { echo "$name: exit code $status instead of $code"; cat "$folder/out"; failures=1; }
  python3 tests/page_check.py "$chromium" "$folder/$name.html" $check || failures=1
}

page good 0 ''
page failed 1 --bad --set max_iter=3
page unverified 0 --bad --no-verify
exit $failures
