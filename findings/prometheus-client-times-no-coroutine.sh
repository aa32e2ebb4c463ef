#!/bin/sh
# prometheus_client 0.26.0 (PyPI), Python 3.11.
# Behaviour: the decorators of a metric take an `async def` and measure the call that makes the coroutine:
#   `time()` observes some microseconds, `count_exceptions()` counts none, `track_inprogress()` is back at
#   0 before the work begins. The calls are counted, and the function works. As context managers in the
#   function, `with metric.time():`, all three are right. A generator is measured the same way.
# Expected: the time until the function has returned, or an error at its definition.
# Who meets it: services that move to asyncio and keep their decorators: latencies fall to nothing, errors
#   to zero, and dashboards and alerts are pleased with both.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q prometheus_client==0.26.0
cd "$work"
cat >trial.py <<'END'
import asyncio, time
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

def trial(name, make):
    registry = CollectorRegistry()
    seconds = Histogram("seconds", "", registry=registry)
    errors = Counter("errors", "", registry=registry)
    running = Gauge("running", "", registry=registry)
    seen = []
    def look():
        seen.append(registry.get_sample_value("running"))
    try:
        make(seconds, errors, running, look)()
    except OSError:
        pass
    get = registry.get_sample_value
    took = "0.3 s or more" if get("seconds_sum") >= 0.3 else "less than 0.1 s"
    assert get("seconds_sum") >= 0.3 or get("seconds_sum") < 0.1
    print(f"{name}: {get('seconds_count'):.0f} call, {took}, errors {get('errors_total'):.0f}, "
          f"running meanwhile {seen[0]:.0f}")

def plain(seconds, errors, running, look):
    @seconds.time()
    @errors.count_exceptions()
    @running.track_inprogress()
    def work():
        look()
        time.sleep(0.3)
        raise OSError
    return work

def coroutine(seconds, errors, running, look):
    @seconds.time()
    @errors.count_exceptions()
    @running.track_inprogress()
    async def work():
        look()
        await asyncio.sleep(0.3)
        raise OSError
    return lambda: asyncio.run(work())

def generator(seconds, errors, running, look):
    @seconds.time()
    @errors.count_exceptions()
    @running.track_inprogress()
    def work():
        look()
        time.sleep(0.3)
        yield 1
        raise OSError
    return lambda: list(work())

def managed(seconds, errors, running, look):
    async def work():
        with seconds.time(), errors.count_exceptions(), running.track_inprogress():
            look()
            await asyncio.sleep(0.3)
            raise OSError
    return lambda: asyncio.run(work())

trial("def, decorated", plain)
trial("async def, decorated", coroutine)
trial("generator, decorated", generator)
trial("async def, with", managed)
END
"$work/env/bin/python" trial.py | tee seen
cat >expected <<'END'
def, decorated: 1 call, 0.3 s or more, errors 1, running meanwhile 1
async def, decorated: 1 call, less than 0.1 s, errors 0, running meanwhile 0
generator, decorated: 1 call, less than 0.1 s, errors 0, running meanwhile 0
async def, with: 1 call, 0.3 s or more, errors 1, running meanwhile 1
END
diff seen expected
