#!/bin/sh
# SPDX-License-Identifier: MIT
# test_compare.sh POISE SYNTHETIC_SWEEP: compare and plot on folders of made-up runs. Skipped (77) without Python 3.
poise=$1 synthetic=$2
python3 -c 'import csv, json, xml.dom.minidom' 2>/dev/null || { echo "skipped: no Python 3 here"; exit 77; }
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT
failures=0
fail() { echo "FAILED: $*"; failures=1; }

# ---- a small grid: all outputs are well-formed and agree ----
"$synthetic" "$folder/small" 5 3 || fail "synthetic_sweep"
"$poise" compare "$folder/small" --csv "$folder/cases.csv" --runs "$folder/runs.csv" --json >"$folder/all.json" || fail "compare --json"
"$poise" compare "$folder/small" >"$folder/text" || fail "compare"
for words in "180 runs of 12 cases on 15 targets (5 phi x 3 z)" "(Table 3)" "(Table 4)" "(Fig. 7)" "in words" "Overall:"; do
  grep -qF "$words" "$folder/text" || fail "the text lacks: $words"
done
python3 - "$folder" <<'END' || fail "JSON, CSV and the journal don't agree"
import csv, json, statistics, sys
folder = sys.argv[1]
all = json.load(open(folder + "/all.json"))
cases, runs = (list(csv.DictReader(open(f"{folder}/{name}.csv"))) for name in ("cases", "runs"))
journal = [json.loads(line) for line in open(folder + "/small/journal.jsonl")]
assert len(cases) == len(all["cases"]) == 12 and len(runs) == len(journal) == 180
for row, case in zip(cases, all["cases"]):
    own = [r for r in journal if r["case"]["cost"] == case["cost"] and r["case"]["formulation"] == case["formulation"]]
    good = [r for r in own if r["solved"] and r["verified"]]
    assert int(row["runs"]) == case["runs"] == len(own) and case["good"] == len(good)
    assert abs(case["cpu"]["median"] - statistics.median(r["solve_cpu_s"] for r in good)) < 1e-12
    assert abs(case["objective"]["mean"] - statistics.fmean(r["objective"] for r in good)) < 1e-9 * case["objective"]["mean"]
    best = lambda p: min(r["objective"] for r in journal if r["case"]["cost"] == case["cost"] and r["point"] == p and r["verified"])
    assert case["above_1_percent"] == sum(r["objective"] > 1.01 * best(r["point"]) for r in good)
    assert abs(float(row["gap_largest"]) - max(r["objective"] / best(r["point"]) - 1 for r in good)) < 1e-12
assert [c["formulation"] for c in all["cases"][:6]] == ["IMPL", "SEMI", "EXP1-O", "EXP1-A", "EXP2-O", "EXP2-A"]
END

# ---- figures ----
"$poise" plot "$folder/small" -o "$folder/figures" >"$folder/list" || fail "plot"
[ "$(wc -l <"$folder/list")" -eq 19 ] || fail "plot wrote $(wc -l <"$folder/list") files"
python3 - "$folder/list" <<'END' || fail "figures are not well-formed"
import re, sys, xml.dom.minidom
for path in open(sys.argv[1]).read().split():
    text = open(path).read()
    root = xml.dom.minidom.parseString(text).documentElement
    assert root.tagName == "svg" and root.getAttribute("width").endswith("pt"), path
    assert not re.search(r"\b(nan|inf)\b", text), path
    assert len(root.getElementsByTagName("text")) > 5, path
END
"$poise" plot "$folder/small" --figure motion --point phi=1.5,z=0.1 -o "$folder/motion.svg" >/dev/null || fail "plot --point"
grep -q "phi = 1.5708 rad, z = 0.1 m" "$folder/motion.svg" || fail "the motion is to another target"

# ---- mistakes ----
"$poise" plot "$folder/small" --figure mapgap 2>"$folder/err" && fail "an unknown figure was accepted"
grep -q "did you mean map_gap" "$folder/err" || fail "no suggestion for a figure"
"$poise" compare "$folder/none" 2>"$folder/err"
[ $? -eq 2 ] || fail "a missing folder has another exit code than 2"
mkdir "$folder/empty" && : >"$folder/empty/journal.jsonl"
"$poise" compare "$folder/empty" 2>"$folder/err"
[ $? -eq 2 ] || fail "an empty journal has another exit code than 2"
printf '{"key": "torn' >>"$folder/small/journal.jsonl"
"$poise" compare "$folder/small" 2>"$folder/err" | grep -q "180 runs" || fail "a torn line"
grep -q "1 lines" "$folder/err" || fail "a torn line was not mentioned"

# ---- 100000 lines ----
"$synthetic" "$folder/big" 84 100 --no-motions || fail "synthetic_sweep"
start=$(date +%s.%N)
"$poise" compare "$folder/big" >"$folder/text" || fail "compare of 100000 lines"
echo "compare of 100800 lines: $(echo "$(date +%s.%N) $start" | awk '{printf "%.2f", $1 - $2}') s"
grep -q "100800 runs of 12 cases on 8400 targets" "$folder/text" || fail "not all of 100000 lines were read"
exit $failures
