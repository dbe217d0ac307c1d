# SPDX-License-Identifier: MIT
"""page_check.py CHROMIUM PAGE.html [--bad] [--shots FOLDER]: a page of `poise solve --html` in a real browser.

Fails (exit 1) if the page logs an error or a warning, asks for anything from outside, lacks plots, doesn't
play, or is wider than a phone or a desktop window. --bad: the page must show that its run failed.
--shots: also writes pictures. Speaks the browser's own protocol over pipes; needs nothing but Python."""
import base64
import json
import os
import pathlib
import select
import subprocess
import sys
import tempfile
import time

PATIENCE = 60  # seconds for any answer


class Browser:
    def __init__(self, chromium, profile):
        to_read, self.to = os.pipe()
        self.of, of_write = os.pipe()
        # the browser reads from 3 and writes to 4
        command = ["/bin/sh", "-c", f'exec "$0" "$@" 3<&{to_read} 4>&{of_write}', chromium,
                   "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
                   "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
                   f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(to_read, of_write), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(of_write)
        self.rest, self.count, self.session, self.events = b"", 0, None, []

    def receive(self, end):
        while b"\0" not in self.rest:
            if not select.select([self.of], [], [], max(0, end - time.time()))[0]:
                raise SystemExit("the browser doesn't answer")
            piece = os.read(self.of, 1 << 20)
            if not piece:
                raise SystemExit("the browser ended")
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        end = time.time() + PATIENCE
        while True:
            answer = self.receive(end)
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'", "the page doesn't load")

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise SystemExit(f"{expression}: {answer['exceptionDetails'].get('text')}")
        return answer["result"].get("value")

    def wait(self, expression, complaint):
        end = time.time() + PATIENCE
        while not self.value(expression):
            if time.time() > end:
                raise SystemExit(complaint)
            time.sleep(0.05)

    def window(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        # two frames: layout, then what follows from it
        self.value("new Promise(f => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(f, 50))))")

    def click(self, selector):
        x, y = self.value(f"(() => {{const e = document.querySelector('{selector}');"
                          "e.scrollIntoView({block: 'nearest'}); const b = e.getBoundingClientRect();"
                          "return [b.x + b.width / 2, b.y + b.height / 2];})()")
        self.click_at(x, y)

    def click_at(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def key(self, key, code):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode=ord(key[0]))

    def shot(self, path, whole=True):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=whole, **(clip if whole else {}))
        pathlib.Path(path).write_bytes(base64.b64decode(answer["data"]))

    def troubles(self):
        """What the page logged, threw or asked from the network."""
        self.value("0")
        found = []
        for e in self.events:
            p = e.get("params", {})
            if e.get("method") == "Runtime.exceptionThrown":
                d = p["exceptionDetails"]
                found.append("exception: " + d.get("exception", {}).get("description", d["text"]))
            elif e.get("method") == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
                found.append("console: " + " ".join(str(a.get("value")) for a in p["args"]))
            elif e.get("method") == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
                found.append("log: " + p["entry"]["text"])
            elif e.get("method") == "Network.requestWillBeSent":
                url = p["request"]["url"]
                if not url.startswith(("file:", "data:", "blob:", "about:")):
                    found.append("asks for " + url)
        return found


def check(browser, bad, shots, name):
    complaints = []

    def expect(right, what):
        if not right:
            complaints.append(what)

    # sizes, light and dark
    for width, height in ((1400, 900), (390, 844)):
        for dark in (False, True):
            browser.window(width, height, dark)
            wide = browser.value("document.documentElement.scrollWidth")
            expect(wide <= width, f"{wide} px wide in a window of {width}")
            if shots:
                browser.shot(f"{shots}/{name}_{width}{'_dark' if dark else ''}.png")
    browser.window(1400, 900)

    # what must be there
    expect(browser.value("document.body.classList.contains('bad')") == bad, "the verdict looks wrong")
    for plot in ("q", "v", "u", "objective", "residuals"):
        n = browser.value(f"document.querySelectorAll('#plot-{plot} path.series').length")
        expect(n >= 1, f"plot-{plot} has no lines")
        expect(browser.value(f"[...document.querySelectorAll('#plot-{plot} path.series')]"
                             ".every(p => p.getAttribute('d').length > 20 && !/NaN/.test(p.getAttribute('d')))"),
               f"plot-{plot} has empty or broken lines")
    expect(browser.value("document.querySelectorAll('#sparsity path').length") >= 2, "no sparsity pictures")
    expect(browser.value("document.querySelectorAll('#solves tbody tr').length") >= 1, "no table of solves")
    expect(browser.value("document.querySelectorAll('#verification tbody tr').length") >= 1, "no verification table")
    expect(browser.value("document.querySelectorAll('#figures div').length") >= 6, "no key figures")
    expect(browser.value("(() => {const c = document.getElementById('scene');"
                         "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
                         "let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n;})()") > 2000,
           "the 3D view is empty")

    # the polynomials and the kinematics of the page against the file
    expect(browser.value("path.q.every((q, k) => k === 0 || q.every((x, i) =>"
                         "!(Math.abs(state_at(path.time[k], k - 1).q[i] - x) > 1e-6 * (1 + Math.abs(x)))))") or bad,
           "the motion between nodes doesn't meet the nodes")
    if not bad and browser.value("page.goal.frame !== null"):
        miss = browser.value("norm(frame_at(page.goal.frame, placements(path.q[path.q.length - 1]))"
                             ".map((x, i) => page.goal.position[i] === null ? 0 : x - page.goal.position[i]))")
        expect(miss < 1e-5, f"the page puts the goal frame {miss} m from the goal")

    # play, pause, keys, a click into a plot
    position = "Number(document.getElementById('slider').value)"
    expect(browser.value(position) == 0, "doesn't begin at 0")
    browser.click("#play")
    browser.wait(f"{position} > 0.05", "play doesn't move the slider")
    browser.click("#play")
    still = browser.value(position)
    time.sleep(0.2)
    expect(browser.value(position) == still, "pause doesn't stop")
    browser.value("document.activeElement.blur()")
    browser.key(" ", "Space")
    browser.wait(f"{position} > {still}", "space doesn't play")
    browser.key(" ", "Space")
    before = browser.value("document.querySelector('#plot-u .cursor').getAttribute('x1')")
    browser.click("#plot-q svg")
    middle = browser.value(f"{position} / horizon")
    expect(0.3 < middle < 0.7, "a click into a plot doesn't set the time")
    expect(browser.value("document.querySelector('#plot-u .cursor').getAttribute('x1')") != before,
           "the cursors of the plots don't follow")
    expect(browser.value("!document.getElementById('tip').hidden"), "no read-out under the pointer")
    if shots:
        browser.shot(f"{shots}/{name}_middle.png", whole=False)
    return complaints + browser.troubles()


def main():
    arguments = sys.argv[1:]
    bad = "--bad" in arguments
    shots = arguments[arguments.index("--shots") + 1] if "--shots" in arguments else None
    chromium, page = arguments[:2]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(chromium, profile)
        try:
            browser.open(pathlib.Path(page).resolve().as_uri())
            complaints = check(browser, bad, shots, pathlib.Path(page).stem)
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
