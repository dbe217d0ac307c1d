# SPDX-License-Identifier: MIT
"""compare_page_check.py CHROMIUM PAGE.html FOLDER [--shots FOLDER]: a page of `poise compare --html` in a real browser.

FOLDER is the sweep it was made from, of synthetic_sweep. Fails (exit 1) if the page logs an error, asks for anything
from outside, is wider than its window, if clicks and keys don't choose and play runs, if a motion differs from the
one on disk, or if tables don't sort and copy."""
import json
import math
import pathlib
import struct
import sys
import tempfile

from page_check import PATIENCE, Browser

POSITION = "Number(document.getElementById('slider').value)"


def motion_on_disk(folder, run):
    """q and u of a run, from trajectories.bin."""
    with open(folder / "trajectories.bin", "rb") as f:
        f.seek(run["trajectory"]["offset"])
        data = f.read(run["trajectory"]["bytes"])
    _, nv, nu, n, d, controls, precision, _ = struct.unpack_from("<8I", data)
    at = 40 + 8 * (n + 1 + d)
    floats = struct.unpack_from(f"<{(2 * nv * (n + 1) + nu * controls)}{'f' if precision == 4 else 'd'}", data, at)
    q, u = floats[:nv * (n + 1)], floats[2 * nv * (n + 1):]
    return [q[k * nv:(k + 1) * nv] for k in range(n + 1)], [u[k * nu:(k + 1) * nu] for k in range(controls)]


class Check:
    def __init__(self, browser, folder, shots):
        self.b, self.shots, self.complaints = browser, shots, []
        self.folder = pathlib.Path(folder)
        self.journal = [json.loads(line) for line in open(self.folder / "journal.jsonl")]

    def expect(self, right, what):
        if not right:
            self.complaints.append(what)

    def cell(self, kase, point):
        """Middle of a target's cell in the map of a case, in the window."""
        return self.b.value(f"""(() => {{
          const svg = document.querySelector('svg.map[data-case="{kase}"]');
          svg.scrollIntoView({{block: 'center'}});
          const box = svg.getBoundingClientRect(), s = box.width / svg.viewBox.baseVal.width;
          const [x, y] = page.points.index[{point}], ny = map_y.values.length;
          return [box.x + s * (EDGE_LEFT + (x + 0.5) * CELL_W), box.y + s * (EDGE_TOP + (ny - y - 0.5) * CELL_H)];
        }})()""")

    def windows(self):
        grounds = set()
        for width, height in ((1400, 900), (390, 844)):
            for dark in (False, True):
                self.b.window(width, height, dark)
                wide = self.b.value("document.documentElement.scrollWidth")
                self.expect(wide <= width, f"{wide} px wide in a window of {width}")
                grounds.add(self.b.value("getComputedStyle(document.body).backgroundColor"))
                if self.shots:
                    self.b.shot(f"{self.shots}/compare_{width}{'_dark' if dark else ''}.png")
        self.expect(len(grounds) == 2, "dark and light look the same")

    def contents(self):
        value = self.b.value
        self.expect(value("document.querySelectorAll('#panels svg.map').length") == 6, "not six maps")
        self.expect(value("[...document.querySelectorAll('svg.map')].every(s => s.querySelector('path.cells'))"), "an empty map")
        self.expect(value("document.querySelectorAll('.figures svg.fig').length") == 8, "not eight figures")
        self.expect(value("document.querySelectorAll('.figures [data-run]').length") > 0, "no outliers")
        self.expect(value("document.querySelectorAll('#legend rect').length") > 30, "no legend")
        for name, rows in (("cases", 12), ("pairs", 30), ("sizes", 12), ("terms", 6), ("convergence", 12)):
            n = value(f"document.querySelectorAll('#table-{name} tbody tr').length")
            self.expect(n == rows, f"table {name} has {n} rows")
        self.expect(value("!/NaN|undefined|Infinity/.test(document.body.innerText)"), "a number that is none")
        self.expect(value("(() => {const c = document.getElementById('scene');"
                          "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                          "let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n;})()") > 2000,
                    "the 3D view is empty")

    def motion_is_that_on_disk(self):
        """The chosen run's motion against the file, within the steps of the packing."""
        kase = self.b.value("all.cases[chosen.kase]")
        index = self.b.value("page.points.index[chosen.point].map((k, i) => all.axes[i].values[k])")
        run = next(r for r in self.journal if r["case"]["cost"] == kase["cost"]
                   and r["case"]["formulation"] == kase["formulation"]
                   and all(math.isclose(a, b, abs_tol=1e-9) for a, b in zip(r["point"].values(), index)))
        q, u = motion_on_disk(self.folder, run)
        for name, there in (("q", q), ("u", u)):
            here = self.b.value(f"path.{name}")
            self.expect(len(here) == len(there), f"{name} has another length")
            for i in range(len(there[0])):
                column = [row[i] for row in there]
                step = (max(column) - min(column)) / 65535 + 1e-6
                worst = max(abs(a[i] - b) for a, b in zip(here, column))
                self.expect(worst <= step, f"{name}{i} is {worst} off, more than {step}")
        self.expect(self.b.value("path.q.every((q, k) => k === 0 || q.every((x, i) =>"
                                 "Math.abs(state_at(path.time[k], k - 1).q[i] - x) < 1e-9))"),
                    "the motion between nodes doesn't meet the nodes")

    def clicks(self):
        b, value = self.b, self.b.value
        point = value("page.points.index.findIndex((_, p) => p !== chosen.point && runs.good[run_at(2, p)])")
        x, y = self.cell(2, point)
        b.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.expect(value("!document.getElementById('tip').hidden"), "no read-out over a map")
        b.click_at(x, y)
        self.expect(value("chosen.kase") == 2 and value("chosen.point") == point, "a click chooses another target")
        b.wait(f"{POSITION} > 0.05", "a click doesn't play")
        self.expect(value("document.querySelectorAll('#curves path.series').length") == 10, "no torques and positions")
        self.motion_is_that_on_disk()
        if self.shots:
            b.shot(f"{self.shots}/compare_clicked.png")
        # another formulation, by its row
        b.click("#rivals tbody tr:first-child td:nth-child(2)")
        self.expect(value("chosen.kase") == 0 and value("chosen.point") == point, "a click on a row chooses another run")
        # a target in 3D
        value("document.getElementById('scene').scrollIntoView({block: 'center'})")
        other = value("page.points.target.length - 1")
        place = value(f"(() => {{const m = scene.mark_place({other}), r = document.getElementById('scene').getBoundingClientRect();"
                      "return [r.x + m.x, r.y + m.y];})()")
        b.click_at(*place)
        self.expect(value("chosen.point") == other, "a click in 3D doesn't choose the target")
        # an outlier of a figure
        run = value("(() => {const e = document.querySelector('#fig-iterations-0 [data-run]'); e.scrollIntoView({block: 'center'});"
                    "return Number(e.dataset.run);})()")
        b.click("#fig-iterations-0 [data-run]")
        self.expect(value("run_at(chosen.kase, chosen.point)") == run, "a click on an outlier doesn't choose its run")
        # a failed run says so
        failed = value("runs.good.findIndex((g) => !g)")
        value(f"choose_group(all.cases[runs.case[{failed}]].group), choose_run(runs.case[{failed}], runs.point[{failed}])")
        self.expect(value("!document.getElementById('warning').hidden && document.querySelector('#rivals tr.bad') !== null"),
                    "a failed run looks like a good one")

    def keys(self):
        b, value = self.b, self.b.value
        value("choose_group(0), choose_run(0, 0)")
        value("document.querySelector('svg.map[data-case=\"0\"]').focus()")
        before = value("page.points.index[chosen.point]")
        for key, index in (("ArrowRight", 0), ("ArrowUp", 1)):
            for kind in ("keyDown", "keyUp"):
                b.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)
            after = value("page.points.index[chosen.point]")
            self.expect(after[index] == before[index] + 1, f"{key} doesn't move in a map")
        b.call("Input.dispatchKeyEvent", type="keyDown", key="Enter", code="Enter", windowsVirtualKeyCode=13)
        b.wait(f"{POSITION} > 0.02", "Enter doesn't play")
        self.expect(value("document.activeElement.dataset.case") == "0", "the focus is lost")

    def controls(self):
        b, value = self.b, self.b.value
        choose = ("(() => {{const s = document.getElementById('{0}'); s.value = '{1}';"
                  "s.dispatchEvent(new Event('change'));}})()")
        colours = "[...document.querySelectorAll('svg.map path.cells')].map(p => p.getAttribute('d')).join()"
        for measure in range(5):
            before = value(colours)
            value(choose.format("measure-choice", (measure + 1) % 5))
            self.expect(value(colours) != before, f"measure {measure} has the colours of the next")
        value(choose.format("set-choice", 1))
        self.expect(value("all.cases[chosen.kase].cost") == "set2", "the cost set can't be chosen")
        self.expect(value("document.querySelector('svg.map').dataset.case") == "6", "the maps are of another set")
        # sorting and copying
        column = "[...document.querySelectorAll('#table-cases tbody tr')].map(r => Number(r.children[5].textContent))"
        value("document.querySelector('#table-cases').scrollIntoView({block: 'center'})")
        for _ in range(2):
            b.click("#table-cases thead th:nth-child(6) button")
            got = value(column)
            up = value("document.querySelector('#table-cases thead th:nth-child(6)').getAttribute('aria-sort')") == "ascending"
            self.expect(got == sorted(got, reverse=not up), "a table doesn't sort")
        b.click("#table-cases button.copy")
        b.wait("document.querySelector('#table-cases button.copy').textContent === 'copied'", "a table can't be copied")


def check(browser, folder, shots):
    c = Check(browser, folder, shots)
    c.windows()
    browser.window(1400, 900)
    c.contents()
    c.clicks()
    c.keys()
    c.controls()
    browser.window(390, 844)
    x, y = c.cell(6, 1)
    browser.click_at(x, y)
    c.expect(browser.value("chosen.point") == 1, "a click on a phone chooses another target")
    return c.complaints + browser.troubles()


def main():
    arguments = sys.argv[1:]
    shots = arguments[arguments.index("--shots") + 1] if "--shots" in arguments else None
    chromium, page, folder = arguments[:3]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(chromium, profile)
        try:
            browser.open(pathlib.Path(page).resolve().as_uri())
            complaints = check(browser, folder, shots)
            browser.session = None
            browser.call("Browser.close")
            browser.process.wait(PATIENCE)
        finally:
            if browser.process.poll() is None:
                browser.process.kill()
                browser.process.wait()
    for c in complaints:
        print(f"{page}: {c}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
