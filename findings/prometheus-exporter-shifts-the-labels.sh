#!/bin/sh
# opentelemetry-exporter-prometheus 0.66b2 with opentelemetry-sdk 1.45.2, and both with the instrumentations of requests
#   and httpx in 0.66b1 and 1.45.1, the newest that these take (PyPI), Python 3.11.
# Behaviour: metrics of one name from two scopes become one family of Prometheus, which has the attribute names of
#   the first one as its labels. The values of the second are put under them by their place. With one attribute more
#   or less each value behind it has the label of its neighbour: `http_request_method="404"`,
#   `server_port="127.0.0.1"`. Which of the two is right depends on which came first. Within one scope it fills up
#   the missing ones with "".
# Expected: a family with the labels of both, or two of them; each value under its own name.
# Who meets it: a process with two instrumented HTTP clients, say requests in one library and httpx in another one. Both
#   write `http.client.request.duration`, as the semantic conventions ask for (OTEL_SEMCONV_STABILITY_OPT_IN=http). It
#   works until the first error of one of them, which has an `error.type` more: from then on all its series have
#   wrong labels, and an alert on the status sees none of the errors.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv newest
newest/bin/pip install -q opentelemetry-exporter-prometheus==0.66b2 opentelemetry-sdk==1.45.2 prometheus-client==0.26.0
python3 -m venv clients
clients/bin/pip install -q opentelemetry-exporter-prometheus==0.66b1 opentelemetry-sdk==1.45.1 \
  opentelemetry-instrumentation-requests==0.66b1 opentelemetry-instrumentation-httpx==0.66b1 \
  prometheus-client==0.26.0 requests==2.34.2 httpx==0.28.1
cat >shown.py <<'END'
from prometheus_client import REGISTRY

def show(name, left_out, replace=""):
    for family in REGISTRY.collect():
        for sample in family.samples:
            if sample.name == name:
                labels = [f'{key}="{value}"' for key, value in sorted(sample.labels.items())
                          if key not in left_out]
                print("   ", *[label.replace(replace, "PORT") if replace else label for label in labels])
END
cat >meters.py <<'END'
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from shown import show

long = {"method": "GET", "queue": "mail", "status": 404}
short = {"method": "GET", "status": 200}
for label, calls in {
    "two scopes": [("one", short), ("two", long)],
    "the same, the other way round": [("two", long), ("one", short)],
    "one scope": [("one", short), ("one", long)],
}.items():
    provider = MeterProvider([PrometheusMetricReader(scope_info_enabled=False)])
    for scope, attributes in calls:
        provider.get_meter(scope).create_counter("calls").add(1, attributes)
    print(f"  {label}:")
    show("calls_total", [])
    provider.shutdown()
END
cat >clients.py <<'END'
import http.server, os, threading
os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "http"
import httpx, requests
from opentelemetry import metrics
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor
from opentelemetry.instrumentation.requests import RequestsInstrumentor
from opentelemetry.sdk.metrics import MeterProvider
from shown import show

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/good" else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *arguments):
        pass

server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"
metrics.set_meter_provider(MeterProvider([PrometheusMetricReader()]))
RequestsInstrumentor().instrument()
HTTPXClientInstrumentor().instrument()
left_out = ["otel_scope_version", "otel_scope_schema_url", "network_protocol_version", "server_address"]
def report(label):
    print(f"  {label}:")
    show("http_client_request_duration_seconds_count", left_out, str(server.server_port))
requests.get(address + "/good")
httpx.get(address + "/good", trust_env=False)
report("requests and httpx have got a 200 each")
httpx.get(address + "/bad", trust_env=False)
report("httpx has got a 404 as well")
END
export NO_PROXY=127.0.0.1
{
  for environment in newest clients; do
    echo "$environment:"
    $environment/bin/python meters.py
  done
  clients/bin/python clients.py
} | tee seen
cat >expected <<'END'
newest:
  two scopes:
    method="GET" status="200"
    method="GET" status="mail"
  the same, the other way round:
    method="GET" queue="mail" status="404"
    method="GET" queue="200"
  one scope:
    method="GET" queue="" status="200"
    method="GET" queue="mail" status="404"
clients:
  two scopes:
    method="GET" status="200"
    method="GET" status="mail"
  the same, the other way round:
    method="GET" queue="mail" status="404"
    method="GET" queue="200"
  one scope:
    method="GET" queue="" status="200"
    method="GET" queue="mail" status="404"
  requests and httpx have got a 200 each:
    http_request_method="GET" http_response_status_code="200" otel_scope_name="opentelemetry.instrumentation.requests" server_port="PORT"
    http_request_method="GET" http_response_status_code="200" otel_scope_name="opentelemetry.instrumentation.httpx" server_port="PORT"
  httpx has got a 404 as well:
    http_request_method="GET" http_response_status_code="200" otel_scope_name="opentelemetry.instrumentation.requests" server_port="PORT"
    http_request_method="" http_response_status_code="GET" otel_scope_name="1.0" server_port="127.0.0.1"
    http_request_method="404" http_response_status_code="GET" otel_scope_name="1.0" server_port="127.0.0.1"
END
diff seen expected
