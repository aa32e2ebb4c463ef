"""Looks at the built site with headless Chromium: check.py FOLDER [PICTURES]

Each page must load without an error in the console and fit a phone's width; the search must find
`switch_to_latest`. With PICTURES, a folder, it keeps pictures of the start page and of the operators.
"""
import base64
import functools
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

PHONE, DESK = (390, 844), (1280, 900)


class Browser:
    """Chromium, driven by the DevTools protocol over a pair of pipes."""

    def __init__(self, profile):
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        if not program:
            sys.exit("docs: install chromium")
        inside, self.writing = os.pipe()
        self.reading, outside = os.pipe()

        def place_pipes():
            # The browser reads from descriptor 3 and writes to 4.
            copies = os.dup(inside), os.dup(outside)
            os.dup2(copies[0], 3)
            os.dup2(copies[1], 4)

        options = ["--headless=new", "--disable-gpu", "--remote-debugging-pipe"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")
        self.process = subprocess.Popen(
            [program, *options, f"--user-data-dir={profile}", "about:blank"],
            close_fds=False, preexec_fn=place_pipes, stderr=subprocess.DEVNULL,
        )
        os.close(inside)
        os.close(outside)
        self.number, self.rest, self.events = 0, b"", []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        """Calls a method of the protocol and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if getattr(self, "session", None):
            message["sessionId"] = self.session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"docs: {method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def receive(self):
        while b"\0" not in self.rest:
            piece = os.read(self.reading, 1 << 16)
            if not piece:
                sys.exit("docs: Chromium has ended")
            self.rest += piece
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def size(self, size):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=size[0], height=size[1],
            deviceScaleFactor=1, mobile=size == PHONE,
        )

    def go(self, address):
        """Loads a page; returns the errors in its console."""
        self.events.clear()
        self.call("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive())
        self.value("new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))")
        return [problem for event in self.events if (problem := self.problem(event))]

    @staticmethod
    def problem(event):
        details = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                return details["exceptionDetails"]["text"]
            case "Log.entryAdded" if details["entry"]["level"] == "error":
                return details["entry"]["text"] + " " + details["entry"].get("url", "")
            case "Runtime.consoleAPICalled" if details["type"] == "error":
                return str(details["args"])
        return None

    def value(self, expression):
        """The value of an expression, or of its promise."""
        result = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in result:
            sys.exit(f"docs: {result['exceptionDetails']}")
        return result["result"].get("value")

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))


# Types a word into the search, and gives what it finds first; nothing after ten seconds.
SEARCH = """
new Promise(done => {
  const field = document.querySelector(".md-search__input");
  field.focus();
  field.value = "switch_to_latest";
  const began = Date.now();
  const look = () => {
    field.dispatchEvent(new Event("keyup", {bubbles: true}));
    field.dispatchEvent(new Event("input", {bubbles: true}));
    const found = [...document.querySelectorAll(".md-search-result__item a")];
    const hit = found.find(link => link.textContent.includes("switch_to_latest"));
    if (hit) done(hit.getAttribute("href"));
    else if (Date.now() - began > 10000) done("");
    else setTimeout(look, 100);
  };
  look();
})
"""


def serve(folder):
    """Serves a folder; returns the address."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    http.server.SimpleHTTPRequestHandler.log_message = lambda *_: None
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def main(folder, pictures=None):
    problems = []
    with tempfile.TemporaryDirectory() as profile:
        address = serve(folder)
        browser = Browser(profile)
        try:
            pages = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.html"))
            browser.size(PHONE)
            for page in pages:
                if page == "404.html":
                    continue
                problems += [f"{page}: {error}" for error in browser.go(f"{address}/{page}")]
                width = browser.value("document.documentElement.scrollWidth")
                if width > PHONE[0]:
                    problems.append(f"{page}: {width} pixels wide on a phone of {PHONE[0]}")
            browser.size(DESK)
            browser.go(f"{address}/index.html")
            hit = browser.value(SEARCH)
            if not hit:
                problems.append("the search does not find switch_to_latest")
            if pictures:
                pictures.mkdir(parents=True, exist_ok=True)
                browser.go(f"{address}/index.html")
                browser.picture(pictures / "start.png")
                browser.go(f"{address}/swift/Operators.html#throttle")
                browser.picture(pictures / "operators.png")
                browser.size(PHONE)
                browser.go(f"{address}/index.html")
                browser.picture(pictures / "phone.png")
        finally:
            browser.process.terminate()
            browser.process.wait()
    for problem in problems:
        print(f"docs: {problem}", file=sys.stderr)
    if problems:
        sys.exit(1)
    hit = hit.removeprefix(address)
    print(f"{len(pages)} pages fit a phone, without an error in the console; the search finds {hit}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), *map(pathlib.Path, sys.argv[2:3]))
