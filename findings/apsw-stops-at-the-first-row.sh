#!/bin/sh
# apsw 3.54.1.0 (PyPI) beside sqlite3 3.40.1 (Debian 12, installed) and Python 3.11's sqlite3.
# Behaviour: `execute` of apsw takes several statements, and goes on to the next only when the rows of
#   the one before have been read. `pragma journal_mode = wal; create table ...` sets the mode and creates
#   no table, since the pragma returns a row; the same with RETURNING. There is no error, and what is
#   left goes when the cursor does. The program sqlite3 executes all of them, Python's module refuses.
# Expected: a method that accepts a script executes it.
# Who meets it: set-up and migrations as one text, which work until somebody puts a pragma or a
#   `select` in front; `for _ in execute(...): pass` or `.fetchall()` executes all.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q apsw==3.54.1.0
cd "$work"
cat >trial.py <<'END'
import sqlite3, subprocess, apsw

SCRIPTS = {
    "no rows": "create table a (x); create table b (x)",
    "a pragma first": "pragma journal_mode = wal; create table a (x); create table b (x)",
    "returning": "create table a (x); insert into a values (1) returning x; create table b (x)",
}
TABLES = "select group_concat(name) from sqlite_schema"

def apsw_alone(file, script):
    apsw.Connection(file).execute(script)

def apsw_read(file, script):
    apsw.Connection(file).execute(script).fetchall()

def program(file, script):
    subprocess.run(["sqlite3", file, script], stdout=subprocess.DEVNULL, check=True)

def module(file, script):
    sqlite3.connect(file).execute(script)

for label, script in SCRIPTS.items():
    for execute in apsw_alone, apsw_read, program, module:
        file = f"{label} {execute.__name__}"
        try:
            execute(file, script)
            outcome = "no error"
        except Exception as error:
            outcome = type(error).__name__
        [[tables]] = apsw.Connection(file).execute(TABLES)
        print(f"{label}, {execute.__name__}: {outcome}, tables {tables}")
END
"$work/env/bin/python" trial.py | tee seen
cat >expected <<'END'
no rows, apsw_alone: no error, tables a,b
no rows, apsw_read: no error, tables a,b
no rows, program: no error, tables a,b
no rows, module: ProgrammingError, tables None
a pragma first, apsw_alone: no error, tables None
a pragma first, apsw_read: no error, tables a,b
a pragma first, program: no error, tables a,b
a pragma first, module: ProgrammingError, tables None
returning, apsw_alone: no error, tables a
returning, apsw_read: no error, tables a,b
returning, program: no error, tables a,b
returning, module: ProgrammingError, tables None
END
diff seen expected
