#!/bin/sh
# reactivex 6.1.0 (PyPI).
# Behaviour: a source behind `share()` is subscribed to again when all have left and one comes back, but
#   not when it had ended: who subscribes then gets the end at once, without a value, or the error of the
#   first try. `retry` behind `share` sees that error as often as it tries, and the source is never asked again.
# Expected: with nobody left the next subscriber starts the source, whether the others left or it ended,
#   as `share` of RxJS does.
# Who meets it: a request or a query that is shared so that several parts ask once, with a retry in each
#   part: one failure is for ever. Those that come late get an empty result, which no error handler sees;
#   in tests all subscribe before the end. `retry` before `share` is tried.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q reactivex==6.1.0
cd "$work"
cat >trial.py <<'END'
import reactivex
from reactivex import operators as ops

def source(ends):
    tries = 0
    def subscribe(observer, scheduler=None):
        nonlocal tries
        tries += 1
        if ends == "fails once" and tries == 1:
            observer.on_error(OSError("refused"))
            return
        observer.on_next(f"value {tries}")
        if ends != "goes on":
            observer.on_completed()
    return reactivex.create(subscribe)

def show(name, observable):
    seen = []
    subscription = observable.subscribe(seen.append, lambda error: seen.append(f"error {error}"),
                                        lambda: seen.append("completed"))
    subscription.dispose()
    print(f"{name}: {', '.join(seen)}")

for ends in "goes on", "completes":
    shared = source(ends).pipe(ops.share())
    for turn in 1, 2:
        show(f"{ends}, subscriber {turn}", shared)
show("fails once, retry alone", source("fails once").pipe(ops.retry(3)))
show("fails once, retry before share", source("fails once").pipe(ops.retry(3), ops.share()))
shared = source("fails once").pipe(ops.share())
show("fails once, share before retry", shared.pipe(ops.retry(3)))
show("fails once, the next subscriber", shared)
END
"$work/env/bin/python" trial.py | tee seen
cat >expected <<'END'
goes on, subscriber 1: value 1
goes on, subscriber 2: value 2
completes, subscriber 1: value 1, completed
completes, subscriber 2: completed
fails once, retry alone: value 2, completed
fails once, retry before share: value 2, completed
fails once, share before retry: error refused
fails once, the next subscriber: error refused
END
diff seen expected
