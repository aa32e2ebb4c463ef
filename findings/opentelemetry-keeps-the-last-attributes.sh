#!/bin/sh
# opentelemetry-sdk 1.45.2 (PyPI).
# Behaviour: a span has room for 128 attributes and as many events. One more drops the oldest, so the
#   attributes with which the span started go first. A full queue of the batch processor drops the span
#   that has waited longest: children end before their parents, so the parents arrive alone.
# Expected: what is added beyond a limit is discarded, as the specification says of attributes.
# Who meets it: spans of a whole run that get an attribute or an event for each file or package: the
#   name of the command is gone, and no search or dashboard that asks for it finds the span.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q opentelemetry-sdk==1.45.2
cd "$work"
cat >spans.py <<'END'
import logging
import threading

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

logging.disable()

def tracer(processor):
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(processor)
    return provider.get_tracer("runner")

spans = InMemorySpanExporter()
with tracer(SimpleSpanProcessor(spans)).start_as_current_span("run", attributes={"command": "build"}) as span:
    for number in range(200):
        span.set_attribute(f"file.{number}", number)
        span.add_event(f"event {number}")
[span] = spans.get_finished_spans()
names = list(span.attributes)
print("attributes:", len(names), "from", names[0], "to", f"{names[-1]}, command", "command" in names)
print("events:", len(span.events), "from", span.events[0].name, "to", span.events[-1].name)

class Slow(InMemorySpanExporter):
    busy, free = threading.Event(), threading.Event()

    def export(self, spans):
        self.busy.set()
        self.free.wait()
        return super().export(spans)

spans = Slow()
queue = BatchSpanProcessor(spans, max_queue_size=10, max_export_batch_size=1)
trace = tracer(queue)
trace.start_span("before").end()
spans.busy.wait()
with trace.start_as_current_span("run"):
    for number in range(100):
        trace.start_span(f"child {number}").end()
spans.free.set()
queue.force_flush()
names = [span.name for span in spans.get_finished_spans()]
print("queue:", ", ".join(names[:2]), "to", names[-1])
END
"$work/env/bin/python" spans.py | tee seen
cat >expected <<'END'
attributes: 128 from file.72 to file.199, command False
events: 128 from event 72 to event 199
queue: before, child 91 to run
END
diff seen expected
