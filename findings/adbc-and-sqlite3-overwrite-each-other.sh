#!/bin/sh
# adbc-driver-sqlite 1.13.0 and apsw 3.54.1.0 (PyPI) beside sqlite3 of Python 3.11 (SQLite 3.40.1 of Debian 12,
#   installed).
# Behaviour: adbc-driver-sqlite and apsw each bring a SQLite of their own. A SQLite keeps the locks of its own process
#   in its memory, and POSIX locks do not count within a process: so in one process a connection of theirs and one of
#   Python's sqlite3 hold `begin immediate` on one file at once. In WAL mode both insert a row and both COMMITs succeed,
#   and the row of the first is gone. With the rollback journal the second COMMIT fails with "disk I/O error"; after
#   that the row of the failed one is in the file and that of the successful one is not. `integrity_check` says "ok".
# Expected: "database is locked" for the second, as between two connections of either, or in two processes.
# Who meets it: a program that keeps its queue or its state with sqlite3, an ORM or a cache, and hands the same file to
#   pandas or polars by ADBC, or to apsw, in another thread. Each of the modules works, tests with one of them pass,
#   and a job that was accepted has gone.
set -eu
command -v sqlite3 >/dev/null || { echo "sqlite3 is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q adbc-driver-sqlite==1.13.0 adbc-driver-manager==1.13.0 apsw==3.54.1.0
cd "$work"
cat >both.py <<'END'
import sqlite3, subprocess, sys
import adbc_driver_sqlite.dbapi, apsw

def by_sqlite3(path):
    return sqlite3.connect(path, isolation_level=None, timeout=0.1)

def by_adbc(path):
    return adbc_driver_sqlite.dbapi.connect(f"file:{path}", autocommit=True)

def by_apsw(path):
    return apsw.Connection(path)

def executor(connection):
    """A function that executes a statement and returns how it ended."""
    target = connection.cursor() if hasattr(connection, "cursor") else connection
    def execute(statement):
        try:
            target.execute(statement)
            return "ok"
        except Exception as error:
            return str(error).split(": ")[-1]
    return execute

for mode in "wal", "delete":
    for number, second in enumerate((by_sqlite3, by_adbc, by_apsw)):
        path = f"{mode}-{number}.db"
        connections = [by_sqlite3(path), second(path)]
        one, two = map(executor, connections)
        one(f"pragma journal_mode = {mode}")
        one("create table job (name text)")
        begins = one("begin immediate"), two("begin immediate")
        if begins[1] == "ok":
            inserts = one("insert into job values ('one')"), two("insert into job values ('two')")
            commits = one("commit"), two("commit")
        else:
            inserts = commits = "-",
            one("rollback")
        for connection in connections:
            connection.close()
        # Another process looks.
        rows = subprocess.run(["sqlite3", path, "select name from job; pragma integrity_check"], text=True,
                              capture_output=True).stdout.split()
        print(f"{mode}, {second.__name__}: begin {', '.join(begins)}; insert {', '.join(inserts)};",
              f"commit {', '.join(commits)}; in the file: {' '.join(rows)}")
END
env/bin/python both.py | tee seen
cat >expected <<'END'
wal, by_sqlite3: begin ok, database is locked; insert -; commit -; in the file: ok
wal, by_adbc: begin ok, ok; insert ok, ok; commit ok, ok; in the file: two ok
wal, by_apsw: begin ok, ok; insert ok, ok; commit ok, ok; in the file: two ok
delete, by_sqlite3: begin ok, database is locked; insert -; commit -; in the file: ok
delete, by_adbc: begin ok, ok; insert ok, ok; commit ok, disk I/O error; in the file: two ok
delete, by_apsw: begin ok, ok; insert ok, ok; commit ok, disk I/O error; in the file: two ok
END
diff seen expected
