#!/bin/sh
# opentelemetry-sdk 1.45.2 and opentelemetry-exporter-otlp-proto-http 1.45.2 (PyPI), Python 3.11.
# Behaviour: an attribute that protobuf cannot hold (2**63, or text with the surrogates that Python
#   uses for undecodable bytes of file names and arguments) costs that attribute. The same text as the
#   name of a span or the description of its status costs every span of the batch, up to 512 of others
#   as well; `force_flush` returns True, and only a line in the log tells.
# Expected: the same care for both: one span is dropped or its text replaced, or the flush fails.
# Who meets it: whoever traces commands by their line or file, `tracer.start_span(sys.argv[1])`: one
#   file with a name in Latin-1 hides the whole run.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q opentelemetry-sdk==1.45.2 \
  opentelemetry-exporter-otlp-proto-http==1.45.2
cd "$work"
cat >trace.py <<'END'
import http.server, logging, os, threading
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Status, StatusCode

logging.disable()
received = []

class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            received.extend(span.name for scope in resource.scope_spans for span in scope.spans)
        self.send_response(200)
        self.end_headers()
    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
name = os.fsdecode(b"caf\xe9")

def trial(label, act):
    received.clear()
    provider = TracerProvider()
    exporter = OTLPSpanExporter(f"http://127.0.0.1:{server.server_port}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("trial")
    tracer.start_span("before").end()
    act(tracer)
    tracer.start_span("after").end()
    print(f"{label}: flushed {provider.force_flush()}, received {sorted(received)}")
    provider.shutdown()

def status(tracer):
    span = tracer.start_span("odd")
    span.set_status(Status(StatusCode.ERROR, f"no such file: {name}"))
    span.end()

trial("attribute 2**63", lambda tracer: tracer.start_span("odd", attributes={"size": 2**63}).end())
trial("attribute", lambda tracer: tracer.start_span("odd", attributes={"file": name}).end())
trial("name", lambda tracer: tracer.start_span(name).end())
trial("status", status)
END
"$work/env/bin/python" trace.py | tee seen
cat >expected <<'END'
attribute 2**63: flushed True, received ['after', 'before', 'odd']
attribute: flushed True, received ['after', 'before', 'odd']
name: flushed True, received []
status: flushed True, received []
END
diff seen expected
