#!/bin/sh
# aioreactive 0.20.0 beside reactivex 6.1.0 (PyPI), Python 3.11.
# Behaviour: a value that `debounce` of aioreactive still holds is dropped when the source ends: the
#   observer gets the end without it. reactivex sends the value, then the end.
# Expected: the last value is what debounce is for; the end makes the wait for a later one pointless, and
#   so the value is sent at once, as in all Rx.
# Who meets it: changes, keys and settings that are debounced and then saved: what came in the last moment
#   before a close, a shutdown or a short input, which may be all of it, is lost. Sources that
#   never end, as in most examples, lose nothing.
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
import asyncio, sys, aioreactive

async def main(pause):
    seen = []
    async def send(value): seen.append(value)
    async def throw(error): seen.append(repr(error))
    async def close(): seen.append("end")
    subject = aioreactive.AsyncSubject()
    await aioreactive.debounce(0.2)(subject).subscribe_async(send, throw, close)
    for value in "abc":
        await subject.asend(value)
    await asyncio.sleep(pause)
    await subject.aclose()
    await asyncio.sleep(1)
    print(f"aioreactive, end after {pause} s:", *seen)

asyncio.run(main(int(sys.argv[1])))
END
cat >with_reactivex.py <<'END'
import sys, time, reactivex
from reactivex import operators as ops

pause = int(sys.argv[1])
seen = []
subject = reactivex.Subject()
subject.pipe(ops.debounce(0.2)).subscribe(seen.append, on_completed=lambda: seen.append("end"))
for value in "abc":
    subject.on_next(value)
time.sleep(pause)
subject.on_completed()
time.sleep(1)
print(f"reactivex, end after {pause} s:", *seen)
END
for package in aioreactive reactivex; do
  for pause in 0 1; do timeout 60 $package/bin/python with_$package.py $pause; done
done | tee seen
cat >expected <<'END'
aioreactive, end after 0 s: end
aioreactive, end after 1 s: c end
reactivex, end after 0 s: c end
reactivex, end after 1 s: c end
END
diff seen expected
