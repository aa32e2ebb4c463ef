#!/bin/sh
# SQLite 3.40.1 (Debian 12, installed) and SQLite 3.54.1 in apsw 3.54.1.0 (PyPI).
# Behaviour: `PRAGMA wal_checkpoint(TRUNCATE)` beside a reader moves nothing, or only part, into the
#   database. It does not fail: it returns a row whose first column is 1, and the program sqlite3 exits
#   with 0 after printing `1|1|0`. VACUUM, journal_mode and writes fail with "database is locked".
# Expected: a checkpoint that could not be done is an error like the others.
# Who meets it: backups and images of the form `sqlite3 app.db 'pragma wal_checkpoint(truncate)' && cp
#   app.db backup.db`: with a report that reads meanwhile the copy is old, without an error, and whole
#   on any quiet night. `VACUUM INTO` or `.backup` copy what is committed.
set -eu
command -v sqlite3 >/dev/null || { echo "sqlite3 is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q apsw==3.54.1.0
cd "$work"
cat >trial.py <<'END'
import subprocess, apsw

writer = apsw.Connection("app.db")
writer.pragma("journal_mode", "wal")
writer.execute("create table rows (x)")
writer.pragma("wal_checkpoint(truncate)")

def rows(file):
    [[count]] = apsw.Connection(file).execute("select count(*) from rows")
    return count

def program(command, file="app.db"):
    done = subprocess.run(["sqlite3", file, command], capture_output=True, text=True)
    return f"status {done.returncode}, printed {done.stdout.strip()!r}"

def trial(label):
    writer.execute("insert into rows values (1)")
    print(f"{label}: program {program('pragma wal_checkpoint(truncate)')}")
    first = writer.execute("pragma wal_checkpoint(truncate)").fetchall()[0][0]
    subprocess.run(["cp", "app.db", "copy.db"], check=True)
    print(f"  apsw no error, first column {first}; app.db has {rows('app.db')} rows, "
          f"its copy {rows('copy.db')}")

trial("nobody reads")
reader = apsw.Connection("app.db")
reader.execute("begin")
reader.execute("select count(*) from rows").fetchall()
trial("beside a reader")
reader.execute("commit")
trial("after it")
END
"$work/env/bin/python" trial.py | tee seen
cat >expected <<'END'
nobody reads: program status 0, printed '0|0|0'
  apsw no error, first column 0; app.db has 1 rows, its copy 1
beside a reader: program status 0, printed '1|1|0'
  apsw no error, first column 1; app.db has 2 rows, its copy 1
after it: program status 0, printed '0|0|0'
  apsw no error, first column 0; app.db has 3 rows, its copy 3
END
diff seen expected
