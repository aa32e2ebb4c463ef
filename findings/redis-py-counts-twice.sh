#!/bin/sh
# redis 8.1.0 beside 5.3.1 (PyPI redis), redis-server 7.0.15 (Debian 12, installed).
# Behaviour: a command whose answer does not come within `socket_timeout`, or whose connection breaks, is sent again
#   on a new connection, three times, without any setting. The server executes each of them, when it gets to it: one
#   `incr` counts two and returns 2, one `rpush` leaves two entries. 5.3.1 raises TimeoutError and counts one.
#   `retry=Retry(NoBackoff(), 0)` has that back.
# Expected: the client repeats what may be repeated, `get` and `set`; who cannot know whether a command was executed
#   gets the error.
# Who meets it: counters, numbers of invoices, queues and limits of rates on the day on which the server is slow, for
#   a large key, a script, a fork or a swapped page: jobs are queued twice, and no exception says so.
set -eu
command -v redis-server >/dev/null || { echo "redis-server is missing" >&2; exit 1; }
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
for version in 5.3.1 8.1.0; do
  python3 -m venv "$work/$version"
  "$work/$version/bin/pip" install -q redis==$version
done
cd "$work"
redis-server --port 0 --unixsocket "$work/socket" --save "" >log 2>&1 &
server=$!
while [ ! -S socket ]; do sleep 0.1; done
cat >trial.py <<'END'
import threading, time, redis
from redis.backoff import NoBackoff
from redis.retry import Retry

def client(**options):
    return redis.Redis(unix_socket_path="socket", decode_responses=True, **options)

# Keeps the server busy for two seconds.
BUSY = """local function now() local t = redis.call('time'); return t[1] * 1000000 + t[2] end
          local till = now() + 2000000; while now() < till do end"""

def answers():
    try:
        return client(socket_timeout=0.1, retry=Retry(NoBackoff(), 0)).ping()
    except redis.TimeoutError:
        return False

def trial(label, call, result, **options):
    plain = client()
    plain.flushall()
    worker = client(socket_timeout=1.2, **options)
    worker.ping()
    busy = threading.Thread(target=lambda: client().eval(BUSY, 0))
    busy.start()
    while answers():
        pass
    try:
        answer = call(worker)
    except redis.TimeoutError:
        answer = "TimeoutError"
    busy.join()
    time.sleep(0.2)
    print(f"{redis.__version__}, {label}: {answer}, then {result(plain)}")

trial("incr", lambda c: c.incr("n"), lambda c: c.get("n"))
trial("rpush", lambda c: c.rpush("q", "job"), lambda c: c.lrange("q", 0, -1))
trial("incr, no retry", lambda c: c.incr("n"), lambda c: c.get("n"), retry=Retry(NoBackoff(), 0))
END
{
  5.3.1/bin/python trial.py
  8.1.0/bin/python trial.py
} >seen
cat seen
cat >expected <<'END'
5.3.1, incr: TimeoutError, then 1
5.3.1, rpush: TimeoutError, then ['job']
5.3.1, incr, no retry: TimeoutError, then 1
8.1.0, incr: 2, then 2
8.1.0, rpush: 2, then ['job', 'job']
8.1.0, incr, no retry: TimeoutError, then 1
END
diff seen expected
