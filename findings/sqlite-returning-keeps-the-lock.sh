#!/bin/sh
# SQLite 3.40.1 in Python 3.11 (Debian 12) and SQLite 3.54.1 in apsw 3.54.1.0 (PyPI).
# Behaviour: in autocommit, UPDATE ... RETURNING changes all rows at its start and commits only when its
#   last row has been read. Until then `in_transaction` is False, other connections see the old rows
#   and get "database is locked"; a process that dies in between leaves the rows as they were.
# Expected: in autocommit a statement is committed when `execute` returns, or at its first row.
# Who meets it: queues that claim several jobs with one statement and work in its loop,
#   `for job in connection.execute("update ... returning id")`: one worker shuts out all the others.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q apsw==3.54.1.0
cd "$work"
cat >claim.py <<'END'
import apsw, sqlite3

def trial(name, worker, other, errors):
    """Claims two jobs and reads none, one and both of the rows."""
    worker.execute("pragma journal_mode = wal")
    worker.execute("create table jobs(id integer primary key, state text)")
    for rows in range(3):
        worker.execute("delete from jobs")
        worker.execute("insert into jobs values (1, 'new'), (2, 'new')")
        claim = worker.execute("update jobs set state = 'taken' returning id")
        for _ in range(rows):
            next(claim)
        if rows == 2:
            next(claim, None)
        states = [state for state, in other.execute("select state from jobs")]
        try:
            other.execute("insert into jobs values (3, 'new')")
            written = "can write"
        except errors as error:
            written = f"cannot write: {str(error).split(': ')[-1]}"
        print(f"{name}, {rows} rows read: in transaction {worker.in_transaction}, others see",
              *states, f"and {written}")
        del claim

open_ = lambda path: sqlite3.connect(path, isolation_level=None, timeout=0.2)
trial(sqlite3.sqlite_version, open_("one.db"), open_("one.db"), sqlite3.OperationalError)
worker, other = apsw.Connection("two.db"), apsw.Connection("two.db")
other.set_busy_timeout(200)
trial(apsw.sqlite_lib_version(), worker, other, apsw.BusyError)
END
"$work/env/bin/python" claim.py | tee seen
cat >expected <<'END'
3.40.1, 0 rows read: in transaction False, others see new new and cannot write: database is locked
3.40.1, 1 rows read: in transaction False, others see new new and cannot write: database is locked
3.40.1, 2 rows read: in transaction False, others see taken taken and can write
3.54.1, 0 rows read: in transaction False, others see new new and cannot write: database is locked
3.54.1, 1 rows read: in transaction False, others see new new and cannot write: database is locked
3.54.1, 2 rows read: in transaction False, others see taken taken and can write
END
diff seen expected
