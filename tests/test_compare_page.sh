#!/bin/sh
# SPDX-License-Identifier: MIT
# test_compare_page.sh POISE SYNTHETIC_SWEEP: the page of a comparison in a headless browser, clicked through.
# Skipped (77) without Chromium ($CHROMIUM, chromium, chromium-browser, google-chrome) or Python 3.
poise=$1 synthetic=$2
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

"$synthetic" "$folder/sweep" 9 5 || exit 3
"$poise" compare "$folder/sweep" --html "$folder/page.html" >/dev/null || { echo "compare --html failed"; exit 1; }
python3 tests/compare_page_check.py "$chromium" "$folder/page.html" "$folder/sweep" || failures=1

# little room leaves motions out, and says so; without a robot there is no motion, but a page
"$poise" compare "$folder/sweep" --html "$folder/few.html" --motions 0.1 >/dev/null || failures=1
[ "$(wc -c <"$folder/few.html")" -lt "$(wc -c <"$folder/page.html")" ] || { echo "--motions has no effect"; failures=1; }
grep -q '"motions_left_out": [1-9]' "$folder/few.html" || { echo "motions left out are not mentioned"; failures=1; }
rm "$folder/sweep/robot.json"
"$poise" compare "$folder/sweep" --html "$folder/bare.html" >/dev/null || { echo "no page without a robot"; failures=1; }
grep -q 'const scene' "$folder/bare.html" && { echo "a scene without a robot"; failures=1; }
exit $failures
