#!/bin/sh
# prometheus_client 0.26.0 (PyPI).
# Behaviour: a counter refuses to go down, but takes NaN, and is NaN from then on; so are the sums of a
#   histogram and a summary after one such observation. The summary counts that observation, the
#   histogram does not, in no bucket and not in its `_count`. Nothing is logged.
# Expected: an error as for a negative value, or at least both counted alike, with +Inf as the bucket.
# Who meets it: durations and sizes that are computed, 0/0 in floats of numpy or a missing value of pandas:
#   averages and rates of that series are empty until the process restarts, long after the one value.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q prometheus_client==0.26.0
cd "$work"
cat >trial.py <<'END'
from prometheus_client import CollectorRegistry, Counter, Histogram, Summary, generate_latest

registry = CollectorRegistry()
counter = Counter("bytes", "-", registry=registry)
histogram = Histogram("seconds", "-", registry=registry, buckets=[1])
summary = Summary("size", "-", registry=registry)
for value in 0.5, float("nan"), 0.5:
    counter.inc(value)
    histogram.observe(value)
    summary.observe(value)
try:
    counter.inc(-1)
except ValueError as error:
    print("-1:", error)
for line in generate_latest(registry).decode().splitlines():
    if not line.startswith("#") and "_created" not in line:
        print(line)
END
"$work/env/bin/python" trial.py | tee seen
cat >expected <<'END'
-1: Counters can only be incremented by non-negative amounts.
bytes_total NaN
seconds_bucket{le="1.0"} 2.0
seconds_bucket{le="+Inf"} 2.0
seconds_count 2.0
seconds_sum NaN
size_count 3.0
size_sum NaN
END
diff seen expected
