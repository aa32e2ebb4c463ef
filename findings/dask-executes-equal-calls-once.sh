#!/bin/sh
# distributed and dask 2026.8.0 (PyPI).
# Behaviour: `client.submit(f, x)` takes each function for a pure one: a call with an argument that was given before is
#   not executed, and returns the value of the first, as long as somebody still holds the future of the first. When it
#   has gone, the same line executes again. `client.map` with the same element twice executes it once. So do a
#   function without arguments, one that draws random numbers and one that sends something. `pure=False` executes
#   each. `concurrent.futures`, whose interface it has, executes each, and so does `dask.delayed`.
# Expected: submit executes, as in each other executor of Python.
# Who meets it: simulations that submit the same parameters a hundred times, polls, retries by hand and jobs with an
#   effect: a hundred equal samples without any variance, or a second run that reports the success of the first. In
#   small trials, which drop each future before the next call, it works.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q dask==2026.8.0 distributed==2026.8.0
cd "$work"
# A module of its own, so that the counter is one.
cat >work.py <<'END'
import random

calls = []

def draw(_=None):
    calls.append(None)
    return random.random()
END
cat >trial.py <<'END'
import concurrent.futures, time, dask
from distributed import Client
from work import calls, draw

def show(label, values):
    print(f"{label}: {len(calls)} executed, {len(set(values))} values")
    calls.clear()

with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
    for pure in [None, False]:
        options = {} if pure is None else {"pure": pure}
        label = f"submit{'' if pure is None else ', pure=False'}"
        show(f"{label}, futures held", client.gather([client.submit(draw, "one", **options) for _ in range(5)]))
    show("submit, no argument", client.gather([client.submit(draw) for _ in range(5)]))
    show("map of equal elements", client.gather(client.map(draw, ["two"] * 5)))
    show("dask.delayed", dask.compute(*[dask.delayed(draw)("one") for _ in range(5)]))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        show("ThreadPoolExecutor", [future.result() for future in [pool.submit(draw, "one") for _ in range(5)]])

    first = client.submit(draw, "three")
    value = first.result()
    again = client.submit(draw, "three").result() == value
    print(f"the first future held: {'the same value' if again else 'another value'}")
    del first
    # The worker drops the value some time after the last future has gone.
    while client.has_what() and any(client.has_what().values()):
        time.sleep(0.1)
    again = client.submit(draw, "three").result() == value
    print(f"the first future gone: {'the same value' if again else 'another value'}")
END
env/bin/python trial.py 2>errors | tee seen
cat >expected <<'END'
submit, futures held: 1 executed, 1 values
submit, pure=False, futures held: 5 executed, 5 values
submit, no argument: 1 executed, 1 values
map of equal elements: 1 executed, 1 values
dask.delayed: 5 executed, 5 values
ThreadPoolExecutor: 5 executed, 5 values
the first future held: the same value
the first future gone: another value
END
diff seen expected
