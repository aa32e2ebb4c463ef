#!/bin/sh
# opentelemetry-sdk and opentelemetry-exporter-otlp-proto-http 1.45.2 (PyPI), Python 3.11.
# Behaviour: OTEL_EXPORTER_OTLP_TIMEOUT and OTEL_EXPORTER_OTLP_TRACES_TIMEOUT are milliseconds by the specification,
#   as for the SDKs of other languages, and seconds in the exporter of Python: 500 is a limit of eight minutes,
#   not of half a second. OTEL_BSP_SCHEDULE_DELAY and the like are milliseconds in Python as well.
# Expected: a variable that exists so that one setting counts for all services has one unit.
# Who meets it: deployments that give all their services the same variables: with a collector that hangs, those in
#   Python spend hours on one batch while the queue behind it overflows, and the others drop the batch and
#   go on. A `10` that is right for Python is a hundredth of a second for the others, whose spans never arrive.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q opentelemetry-sdk==1.45.2 opentelemetry-exporter-otlp-proto-http==1.45.2
cd "$work"
cat >trial.py <<'END'
import http.server, logging, os, threading, time

class Slow(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(2)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
        received.set()
    def log_message(self, *_):
        pass

received = threading.Event()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
threading.Thread(target=server.serve_forever, daemon=True).start()
logging.disable()
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

def exporter():
    return OTLPSpanExporter(endpoint=f"http://127.0.0.1:{server.server_port}/v1/traces")

span = TracerProvider().get_tracer("trial").start_span("span")
span.end()
for name in ["OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"]:
    for limit in ["500", "0.5"]:
        os.environ[name] = limit
        start = time.monotonic()
        result = exporter().export([span]).name
        waited = time.monotonic() - start
        print(f"{name}={limit}, an answer after 2 s: {result}, {'waited for it' if waited > 1.9 else 'gave up before'}")
        del os.environ[name]

os.environ["OTEL_BSP_SCHEDULE_DELAY"] = "500"
received.clear()
provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(exporter()))
provider.get_tracer("trial").start_span("span").end()
print(f"OTEL_BSP_SCHEDULE_DELAY=500: {'sent within a minute' if received.wait(60) else 'not sent'}")
provider.shutdown()
END
env/bin/python trial.py | tee seen
cat >expected <<'END'
OTEL_EXPORTER_OTLP_TIMEOUT=500, an answer after 2 s: SUCCESS, waited for it
OTEL_EXPORTER_OTLP_TIMEOUT=0.5, an answer after 2 s: FAILURE, gave up before
OTEL_EXPORTER_OTLP_TRACES_TIMEOUT=500, an answer after 2 s: SUCCESS, waited for it
OTEL_EXPORTER_OTLP_TRACES_TIMEOUT=0.5, an answer after 2 s: FAILURE, gave up before
OTEL_BSP_SCHEDULE_DELAY=500: sent within a minute
END
diff seen expected
