#!/bin/sh
# sseclient-py 1.9.0 and httpx-sse 0.4.3 (PyPI).
# Behaviour: when the stream ends inside an event, sseclient-py delivers what has come of it, as an
#   event like any other: `data: 12` of `data: 1234` is the value 12. httpx-sse drops it.
# Expected: an event counts with the blank line behind it, as the specification says; the end of the
#   stream discards the rest.
# Who meets it: readers of progress and of logs through a proxy or from a server that stops: a cut
#   number passes for a number, and JSON fails for the last event only.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q sseclient-py==1.9.0 requests==2.32.5 httpx-sse==0.4.3 httpx==0.28.1
cd "$work"
cat >events.py <<'END'
import http.server, threading
import httpx, httpx_sse, requests, sseclient

class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b"id: 1\ndata: 1233\n\nid: 2\ndata: 12")
    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}/"
with httpx.Client() as client, httpx_sse.connect_sse(client, "GET", address) as source:
    print("httpx-sse:", [(event.id, event.data) for event in source.iter_sse()])
source = sseclient.SSEClient(requests.get(address, stream=True))
print("sseclient-py:", [(event.id, event.data) for event in source.events()])
END
"$work/env/bin/python" events.py | tee seen
cat >expected <<'END'
httpx-sse: [('1', '1233')]
sseclient-py: [('1', '1233'), ('2', '12')]
END
diff seen expected
