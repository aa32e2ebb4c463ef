#!/bin/sh
# opentelemetry-sdk, opentelemetry-exporter-otlp-proto-http and -grpc 1.45.2 (PyPI), Python 3.11.
# Behaviour: a receiver that takes part of a batch answers 200 with `partial_success`, the number of
#   rejected spans and the reason. Both exporters do not look at it: `export` returns SUCCESS,
#   `force_flush` True, and nothing is logged, not even at the level DEBUG.
# Expected: a warning with the receiver's reason, for which the field is there.
# Who meets it: whoever sends to a backend with limits (age, size, quota, names): the spans are refused
#   for a stated reason, and from the sender all is well; one looks for a sampler that drops them.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q opentelemetry-sdk==1.45.2 \
  opentelemetry-exporter-otlp-proto-http==1.45.2 opentelemetry-exporter-otlp-proto-grpc==1.45.2
cd "$work"
cat >trial.py <<'END'
import concurrent.futures, http.server, logging, sys, threading, grpc
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as Grpc
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as Http
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as messages
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as service
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

ANSWER = messages.ExportTraceServiceResponse(partial_success=messages.ExportTracePartialSuccess(
    rejected_spans=1, error_message="older than an hour"))

logged = []
class Log(logging.Handler):
    def emit(self, record):
        if record.name.startswith("opentelemetry"):
            logged.append(record.getMessage())
logging.basicConfig(level=logging.DEBUG, handlers=[Log()])

asked = []
class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked.append(self.rfile.read(int(self.headers["content-length"])))
        body = ANSWER.SerializeToString()
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass

class Service(service.TraceServiceServicer):
    def Export(self, request, context):
        asked.append(request)
        return ANSWER

def trial(label, exporter):
    asked.clear()
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(exporter))
    provider.get_tracer("trial").start_span("step").end()
    flushed = provider.force_flush()
    print(f"{label}: {len(asked)} request, flushed {flushed}, logged {logged}")
    provider.shutdown()

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
trial("http", Http(f"http://127.0.0.1:{server.server_port}/v1/traces"))
server.shutdown()

server = grpc.server(concurrent.futures.ThreadPoolExecutor(1))
service.add_TraceServiceServicer_to_server(Service(), server)
port = server.add_insecure_port("127.0.0.1:0")
server.start()
trial("grpc", Grpc(f"http://127.0.0.1:{port}", insecure=True))
server.stop(None)
END
"$work/env/bin/python" trial.py | tee seen
cat >expected <<'END'
http: 1 request, flushed True, logged []
grpc: 1 request, flushed True, logged []
END
diff seen expected
