#!/bin/sh
# psycopg 3.3.9 (PyPI psycopg[binary]) and PostgreSQL 15 (Debian 12, installed).
# Behaviour: who leaves the loop over `connection.notifies()` after one notification loses those that
#   came with it: the next `notifies()` does not have them. Those that came with the answer to a query
#   in between are kept, and a loop with `stop_after=1` yields all that came together.
# Expected: what was not yielded is there for the next loop, since psycopg keeps a backlog.
# Who meets it: workers that wait for one notification, leave the loop to take a job, and wait again:
#   all is well until two arrive together.
set -eu
binaries=/usr/lib/postgresql/15/bin
[ -x $binaries/initdb ] || { echo "postgresql-15 is missing" >&2; exit 1; }
work=$(mktemp -d)
chmod 755 "$work"
server=
trap '[ -z "$server" ] || as $binaries/pg_ctl -D "$work/data" -m immediate stop >/dev/null
  rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q 'psycopg[binary]==3.3.9'
cd "$work"
# PostgreSQL refuses to run as root.
as() {
  if [ "$(id -u)" -ne 0 ]; then "$@"
  else setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$work" "$@"; fi
}
[ "$(id -u)" -ne 0 ] || chown nobody "$work"
as $binaries/initdb -D "$work/data" -A trust -U me --no-sync >/dev/null
as $binaries/pg_ctl -D "$work/data" -o "-c listen_addresses= -k $work -c fsync=off" \
  -w -l "$work/server.log" start >/dev/null
server=started
cat >listen.py <<'END'
import sys, psycopg

open_ = lambda: psycopg.connect(f"host={sys.argv[1]} user=me dbname=postgres", autocommit=True)
listener, sender = open_(), open_()
listener.execute("listen jobs")

def wait():
    """The first notification, as `next(connection.notifies())` or a loop with `break` has it."""
    for notification in listener.notifies(timeout=5):
        return notification.payload

def rest():
    return [notification.payload for notification in listener.notifies(timeout=1)]

def send(*payloads):
    """Both in one transaction, so that they arrive together."""
    with sender.transaction():
        for payload in payloads:
            sender.execute("select pg_notify('jobs', %s)", [payload])

send("one", "two")
print("while it waits:", wait(), "then", rest())
send("three", "four")
listener.execute("select 1")
print("with a query:", wait(), "then", rest())
END
"$work/env/bin/python" listen.py "$work" | tee seen
cat >expected <<'END'
while it waits: one then []
with a query: three then ['four']
END
diff seen expected
