#!/bin/sh
# urllib3 2.8.0 beside requests 2.34.2 (PyPI).
# Behaviour: without any setting, `urllib3.request` and a PoolManager repeat a GET that is answered with 429 or
#   503 and `Retry-After`, three times, and sleep as long as the header says before each. `timeout` is for each
#   try and not for the sleep: with `timeout=1` and `Retry-After: 2` the call takes six seconds, with 3600 it
#   takes three hours. `Retry(connect=3)`, for connections that fail, does the same. `status=0` or
#   `respect_retry_after_header=False` prevents it, and the latter returns the response. A POST is not repeated.
# Expected: statuses are repeated when `status_forcelist` names them, which is empty by default, and a call with
#   a `timeout` of a second has ended after some seconds.
# Who meets it: clients of an API or a registry that has a bad day: each thread of the worker sleeps for hours in
#   a call that looks bounded, health checks too, and no log says why. requests itself does not retry, but
#   an adapter with `Retry(connect=3)` or `max_retries=3` in it does.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q urllib3==2.8.0 requests==2.34.2
cd "$work"
cat >trial.py <<'END'
import http.server, threading, time
import requests, urllib3

count = 0

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        global count
        count += 1
        self.send_response(503)
        self.send_header("Retry-After", "2")
        self.send_header("Content-Length", "0")
        self.end_headers()
    do_POST = do_GET
    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/"

def call(label, act):
    global count
    count = 0
    start = time.monotonic()
    try:
        result = act()
    except Exception as error:
        result = type(error).__name__
    print(f"{label}: {result}, {count} requests, {int(time.monotonic() - start)} s")

def pool(method="GET", **settings):
    return urllib3.PoolManager().request(method, url, timeout=1, **settings).status

def adapted(retries):
    session = requests.Session()
    session.mount("http://", requests.adapters.HTTPAdapter(max_retries=retries))
    return session.get(url, timeout=1).status_code

call("urllib3, no settings", pool)
call("urllib3, POST", lambda: pool("POST"))
call("urllib3, Retry(connect=3)", lambda: pool(retries=urllib3.Retry(connect=3, total=1)))
call("urllib3, respect_retry_after_header=False",
     lambda: pool(retries=urllib3.Retry(3, respect_retry_after_header=False)))
call("urllib3, Retry(status=0)", lambda: pool(retries=urllib3.Retry(3, status=0)))
call("requests", lambda: requests.get(url, timeout=1).status_code)
call("requests, max_retries=1", lambda: adapted(1))
call("requests, Retry(connect=3, total=1)", lambda: adapted(urllib3.Retry(connect=3, total=1)))
END
env/bin/python trial.py | tee seen
cat >expected <<'END'
urllib3, no settings: 503, 4 requests, 6 s
urllib3, POST: 503, 1 requests, 0 s
urllib3, Retry(connect=3): 503, 2 requests, 2 s
urllib3, respect_retry_after_header=False: 503, 1 requests, 0 s
urllib3, Retry(status=0): MaxRetryError, 1 requests, 0 s
requests: 503, 1 requests, 0 s
requests, max_retries=1: 503, 2 requests, 2 s
requests, Retry(connect=3, total=1): 503, 2 requests, 2 s
END
diff seen expected
