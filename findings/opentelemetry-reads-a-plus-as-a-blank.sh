#!/bin/sh
# opentelemetry-sdk 1.45.2 beside ddtrace 4.16.0 (PyPI), Python 3.11.
# Behaviour: the header `baggage` of W3C has its values percent-encoded, and a plus sign is a character like any other.
#   OpenTelemetry's propagator, which is on by default, encodes and decodes them as forms do: a `+` that arrives is a
#   blank, and a blank leaves as `+`. Between two services with it each value survives. From ddtrace, which takes a
#   plus sign for one, `1.4.0+7` arrives as `1.4.0 7`, and `night run` arrives there as `night+run`. In
#   OTEL_RESOURCE_ATTRIBUTES and OTEL_EXPORTER_OTLP_HEADERS, which have the same form, a plus sign stays.
# Expected: one decoder for one format, and a value that another implementation wrote is what it wrote.
# Who meets it: baggage with versions such as `1.4.0+build.7`, times with a zone, base64 or names of tests, on its way
#   through services with the libraries of several vendors: it changes at the border, and only those values that have
#   a plus sign or a blank.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q opentelemetry-sdk==1.45.2 ddtrace==4.16.0
cd "$work"
cat >carry.py <<'END'
import os
os.environ["OTEL_RESOURCE_ATTRIBUTES"] = "build=1.4.0+7"
from opentelemetry import baggage, propagate
from opentelemetry.sdk.resources import Resource
from opentelemetry.util.re import parse_env_headers
from ddtrace.propagation.http import HTTPPropagator
from ddtrace.trace import Context

def opentelemetry_writes(value):
    headers = {}
    propagate.inject(headers, baggage.set_baggage("key", value))
    return headers

def opentelemetry_reads(headers):
    return baggage.get_baggage("key", propagate.extract(headers))

def ddtrace_writes(value):
    headers = {}
    HTTPPropagator.inject(Context(trace_id=1, span_id=1, baggage={"key": value}), headers)
    return {"baggage": headers["baggage"]}

def ddtrace_reads(headers):
    return HTTPPropagator.extract(headers).get_baggage_item("key")

writers = {"opentelemetry": opentelemetry_writes, "ddtrace": ddtrace_writes}
readers = {"opentelemetry": opentelemetry_reads, "ddtrace": ddtrace_reads}
for value in "1.4.0+7", "night run":
    for sender, write in writers.items():
        headers = write(value)
        print(f"{value!r} of {sender}: {headers['baggage']}, read by",
              ", ".join(f"{reader} as {read(headers)!r}" for reader, read in readers.items()))
print("OTEL_RESOURCE_ATTRIBUTES:", repr(Resource.create().attributes["build"]))
print("OTEL_EXPORTER_OTLP_HEADERS:", parse_env_headers("build=1.4.0+7", liberal=True))
END
env/bin/python carry.py 2>messages | tee seen
cat >expected <<'END'
'1.4.0+7' of opentelemetry: key=1.4.0%2B7, read by opentelemetry as '1.4.0+7', ddtrace as '1.4.0+7'
'1.4.0+7' of ddtrace: key=1.4.0+7, read by opentelemetry as '1.4.0 7', ddtrace as '1.4.0+7'
'night run' of opentelemetry: key=night+run, read by opentelemetry as 'night run', ddtrace as 'night+run'
'night run' of ddtrace: key=night%20run, read by opentelemetry as 'night run', ddtrace as 'night run'
OTEL_RESOURCE_ATTRIBUTES: '1.4.0+7'
OTEL_EXPORTER_OTLP_HEADERS: {'build': '1.4.0+7'}
END
diff seen expected
