#!/bin/sh
# aioreactive 0.20.0 beside reactivex 6.1.0 (PyPI), Python 3.11.
# Behaviour: an exception of the function of `map`, `filter` or `flat_map` is no error of the stream in
#   aioreactive. It is raised where the value came from, by `await subject.asend(value)`; the
#   observer learns nothing, `catch` behind the operator is passed by, and the stream goes on. The other
#   observers of the same subject do not get that value. reactivex sends the error to the observer.
# Expected: the operator catches what its function raises and ends its stream with it, as in all Rx.
# Who meets it: one pipeline with a mistake ends the loop that reads the socket and feeds all
#   pipelines; code with a `catch` for it looks safe and is tested with sources that send an error.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# One environment cannot have both.
for package in aioreactive==0.20.0 reactivex==6.1.0; do
  python3 -m venv "${package%%=*}"
  "${package%%=*}/bin/pip" install -q "$package"
done
cat >with_aioreactive.py <<'END'
import asyncio, aioreactive

async def main(name, operator):
    seen, other = [], []
    async def send(value): seen.append(value)
    async def throw(error): seen.append(type(error).__name__)
    async def close(): seen.append("end")
    async def keep(value): other.append(value)
    subject = aioreactive.AsyncSubject()
    caught = aioreactive.catch(lambda error: aioreactive.single("caught"))
    await caught(operator(subject)).subscribe_async(send, throw, close)
    await subject.subscribe_async(keep)
    raised = []
    for value in 1, 0, 1:
        try:
            await subject.asend(value)
        except ZeroDivisionError:
            raised.append(value)
    await asyncio.sleep(0.5)
    print(f"aioreactive, {name}: observer {seen}, raised at the producer {raised}, other observer {other}")

for name, operator in {
    "map": aioreactive.map(lambda value: 1 // value),
    "filter": aioreactive.filter(lambda value: 1 // value),
    "flat_map": aioreactive.flat_map(lambda value: aioreactive.single(1 // value)),
}.items():
    asyncio.run(main(name, operator))
END
cat >with_reactivex.py <<'END'
import reactivex
from reactivex import operators as ops

for name, operator in {
    "map": ops.map(lambda value: 1 // value),
    "filter": ops.filter(lambda value: 1 // value),
    "flat_map": ops.flat_map(lambda value: reactivex.just(1 // value)),
}.items():
    seen, other, raised = [], [], []
    subject = reactivex.Subject()
    caught = ops.catch(lambda error, source: reactivex.just("caught"))
    subject.pipe(operator, caught).subscribe(seen.append, on_completed=lambda: seen.append("end"))
    subject.subscribe(other.append)
    for value in 1, 0, 1:
        try:
            subject.on_next(value)
        except ZeroDivisionError:
            raised.append(value)
    print(f"reactivex, {name}: observer {seen}, raised at the producer {raised}, other observer {other}")
END
for package in aioreactive reactivex; do
  timeout 60 $package/bin/python with_$package.py
done | tee seen
cat >expected <<'END'
aioreactive, map: observer [1, 1], raised at the producer [0], other observer [1, 1]
aioreactive, filter: observer [1, 1], raised at the producer [0], other observer [1, 1]
aioreactive, flat_map: observer [1, 1], raised at the producer [0], other observer [1, 1]
reactivex, map: observer [1, 'caught', 'end'], raised at the producer [], other observer [1, 0, 1]
reactivex, filter: observer [1, 'caught', 'end'], raised at the producer [], other observer [1, 0, 1]
reactivex, flat_map: observer [1, 'caught', 'end'], raised at the producer [], other observer [1, 0, 1]
END
diff seen expected
