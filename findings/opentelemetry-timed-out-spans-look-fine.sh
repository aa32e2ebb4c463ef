#!/bin/sh
# opentelemetry-sdk 1.45.2 (PyPI), Python 3.11.
# Behaviour: a span that is left by an exception gets the status ERROR and an event with the exception,
#   unless the exception is no subclass of `Exception`. What asyncio's time-outs throw into a task is
#   such a one, so are a task that is cancelled since its neighbour failed, `sys.exit(3)` and Ctrl-C:
#   the span has the status UNSET and no event, like one that succeeded.
# Expected: the block did not get to its end, so the span says so.
# Who meets it: services with `asyncio.timeout` around a traced request: the slowest ones, which never
#   came back, count as successes, and the rate of errors falls as the time-outs begin. Commands that
#   end through `sys.exit` are green whatever their status.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q opentelemetry-sdk==1.45.2
cd "$work"
cat >trial.py <<'END'
import asyncio, sys
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
tracer = provider.get_tracer("trial")

def span(label, act):
    try:
        with tracer.start_as_current_span(label):
            act()
    except BaseException:
        pass

def throw(error):
    raise error

async def request(label, act):
    with tracer.start_as_current_span(label):
        await act

async def fail():
    raise ValueError

async def main():
    try:
        async with asyncio.timeout(0.1):
            await request("asyncio.timeout", asyncio.sleep(60))
    except TimeoutError:
        print("the caller got a TimeoutError")
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(request("neighbour of a failure", asyncio.sleep(60)))
            group.create_task(request("failure", fail()))
    except ExceptionGroup:
        print("the caller got an ExceptionGroup")

span("ValueError", lambda: throw(ValueError()))
span("TimeoutError", lambda: throw(TimeoutError()))
asyncio.run(main())
span("sys.exit(3)", lambda: sys.exit(3))
span("Ctrl-C", lambda: throw(KeyboardInterrupt()))
for finished in sorted(exporter.get_finished_spans(), key=lambda span: span.name):
    print(f"{finished.name}: {finished.status.status_code.name}, {len(finished.events)} events")
END
"$work/env/bin/python" trial.py | tee seen
cat >expected <<'END'
the caller got a TimeoutError
the caller got an ExceptionGroup
Ctrl-C: UNSET, 0 events
TimeoutError: ERROR, 1 events
ValueError: ERROR, 1 events
asyncio.timeout: UNSET, 0 events
failure: ERROR, 1 events
neighbour of a failure: UNSET, 0 events
sys.exit(3): UNSET, 0 events
END
diff seen expected
