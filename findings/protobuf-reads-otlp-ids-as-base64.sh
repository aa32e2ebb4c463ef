#!/bin/sh
# opentelemetry-proto 1.45.2 with protobuf 7.36.2 (PyPI).
# Behaviour: OTLP in JSON has trace and span ids in hexadecimal digits. protobuf's own JSON reader
#   takes them for base64, as each such text is valid base64 as well: ids of 24 and 12 bytes in place
#   of 16 and 8, without an error. Its writer gives base64 and enums by name, which OTLP excludes.
# Expected: the generated messages with the library's JSON are OTLP/JSON, or the reader complains.
# Who meets it: receivers and tests of tracers that read `resourceSpans` with `json_format.Parse`:
#   spans arrive, parents fit, and nothing joins with the traces of who sent binary messages.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q opentelemetry-proto==1.45.2 protobuf==7.36.2
cd "$work"
cat >ids.py <<'END'
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

sent = """{"resourceSpans": [{"scopeSpans": [{"spans": [{
  "traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "b7ad6b7169203331",
  "name": "build", "kind": 2}]}]}]}"""
request = json_format.Parse(sent, ExportTraceServiceRequest())
span = request.resource_spans[0].scope_spans[0].spans[0]
print("read:", len(span.trace_id), "and", len(span.span_id), "bytes, trace", span.trace_id.hex())
span.trace_id = bytes.fromhex("0af7651916cd43dd8448eb211c80319c")
print("written:", json_format.MessageToDict(span)["traceId"], json_format.MessageToDict(span)["kind"])
END
"$work/env/bin/python" ids.py | tee seen
cat >expected <<'END'
read: 24 and 12 bytes, trace d1a7fbeb9d7dd7a71de3775df38e3c79bdb5d5cf34df5f5c
written: CvdlGRbNQ92ESOshHIAxnA== SPAN_KIND_SERVER
END
diff seen expected
