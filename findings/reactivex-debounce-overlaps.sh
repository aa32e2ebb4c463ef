#!/bin/sh
# reactivex 6.1.0 (PyPI).
# Behaviour: `debounce` sends from a thread of its own for each value, without a lock: an observer that
#   takes longer than the values are apart is called again while it still runs, several times at once.
#   `merge`, `combine_latest`, `delay` and `sample` of several threads send one value after the other.
# Expected: one call at a time, as the contract of Rx asks of each operator.
# Who meets it: who debounces changes of files or of settings and reacts with a build: two builds write
#   one folder, and only if changes come in at a certain pace.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q reactivex==6.1.0
cd "$work"
cat >overlap.py <<'END'
import threading, time
import reactivex
from reactivex import operators
from reactivex.scheduler import NewThreadScheduler
from reactivex.subject import Subject

def source():
    return reactivex.from_(range(5)).pipe(operators.subscribe_on(NewThreadScheduler()))

def changes():
    subject = Subject()
    def send():
        for number in range(5):
            subject.on_next(number)
            time.sleep(0.2)
        subject.on_completed()
    threading.Thread(target=send).start()
    return subject

for name, values in (("merge", lambda: reactivex.merge(source(), source(), source())),
                     ("combine_latest", lambda: reactivex.combine_latest(source(), source(), source())),
                     ("delay", lambda: reactivex.merge(source(), source()).pipe(operators.delay(0.01))),
                     ("sample", lambda: changes().pipe(operators.sample(0.05))),
                     ("debounce", lambda: changes().pipe(operators.debounce(0.05)))):
    lock, ended = threading.Lock(), threading.Event()
    calls = most = 0
    def build(value):
        global calls, most
        with lock:
            calls += 1
            most = max(most, calls)
        time.sleep(0.3)
        with lock:
            calls -= 1
    values().subscribe(build, on_completed=ended.set)
    ended.wait()
    print(f"{name}: {'one call at a time' if most == 1 else 'calls overlap'}")
END
"$work/env/bin/python" overlap.py | tee seen
cat >expected <<'END'
merge: one call at a time
combine_latest: one call at a time
delay: one call at a time
sample: one call at a time
debounce: calls overlap
END
diff seen expected
