#!/bin/sh
# SQLite 3.54.1 in apsw 3.54.1.0 (PyPI).
# Behaviour: `PRAGMA journal_mode = WAL` waits for a reader as long as `busy_timeout` says, but beside a
#   connection that writes it fails at once with "database is locked". Leaving WAL beside a reader
#   fails at once as well. An ordinary write beside the writer waits.
# Expected: the timeout counts for each lock that the connection needs.
# Who meets it: the release that moves an existing database to WAL while a worker of the old one still
#   writes: it sets its timeout, then the mode, and ends at once, at random and never in tests.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q apsw==3.54.1.0
cd "$work"
cat >mode.py <<'END'
import time, apsw

def trial(label, path, hold, statement):
    first, second = apsw.Connection(path), apsw.Connection(path)
    second.set_busy_timeout(2000)
    for held in hold:
        list(first.execute(held))
    start = time.monotonic()
    try:
        list(second.execute(statement))
        end = "succeeded"
    except apsw.BusyError as error:
        end = str(error)
    waited = "waited" if time.monotonic() - start >= 1.9 else "did not wait"
    print(f"{label}: {end}, {waited}")

apsw.Connection("new.db").execute("create table jobs(id)")
mode, write = "pragma journal_mode = wal", "insert into jobs values (1)"
reads, writes = ("begin", "select * from jobs"), ("begin immediate",)
trial("wal beside a reader", "new.db", reads, mode)
trial("wal beside a writer", "new.db", writes, mode)
trial("write beside a writer", "new.db", writes, write)
list(apsw.Connection("new.db").execute(mode))
trial("delete beside a reader", "new.db", reads, "pragma journal_mode = delete")
END
"$work/env/bin/python" mode.py | tee seen
cat >expected <<'END'
wal beside a reader: database is locked, waited
wal beside a writer: database is locked, did not wait
write beside a writer: database is locked, waited
delete beside a reader: database is locked, did not wait
END
diff seen expected
