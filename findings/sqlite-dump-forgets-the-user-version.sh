#!/bin/sh
# sqlite3 3.40.1 (Debian 12, installed), Python 3.11's sqlite3, apsw 3.54.1.0 (PyPI).
# Behaviour: `.dump` and `.clone` of the program sqlite3 and `iterdump` of Python copy tables and rows, but
#   not `user_version` and `application_id`: both are 0 in the copy, and WAL is off. `.backup` and VACUUM INTO
#   keep the two numbers, and so does `.dump` in the shell of apsw.
# Expected: what is called a dump or a clone has what the program stores in the database, as pg_dump does.
# Who meets it: programs that count their migrations in `user_version`, which is what it is for: a database
#   that was restored, moved or repaired by way of a dump has the newest tables and says that it is of
#   version 0. All migrations are executed again, and the first `create table` fails, or worse, none does.
set -eu
command -v sqlite3 >/dev/null || { echo "sqlite3 is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q apsw==3.54.1.0
cd "$work"
sqlite3 app.db "pragma journal_mode = wal; pragma user_version = 7; pragma application_id = 1234;
  create table rows (x); insert into rows values (1)" >/dev/null
cat >dumps.py <<'END'
import sqlite3, sys
import apsw.shell

if sys.argv[1] == "iterdump":
    for line in sqlite3.connect("app.db").iterdump():
        print(line)
else:
    apsw.shell.Shell(args=["app.db"]).process_command(".dump")
END
sqlite3 app.db .dump | sqlite3 dump
sqlite3 app.db ".clone clone" >/dev/null
env/bin/python dumps.py iterdump | sqlite3 iterdump
env/bin/python dumps.py apsw | sqlite3 apsw
sqlite3 app.db ".backup backup"
sqlite3 app.db "vacuum into 'vacuum'"
for copy in app.db dump clone iterdump apsw backup vacuum; do
  echo "$copy: user_version $(sqlite3 $copy 'pragma user_version')," \
    "application_id $(sqlite3 $copy 'pragma application_id')," \
    "$(sqlite3 $copy 'pragma journal_mode'), $(sqlite3 $copy 'select count(*) from rows') row"
done | tee seen
cat >expected <<'END'
app.db: user_version 7, application_id 1234, wal, 1 row
dump: user_version 0, application_id 0, delete, 1 row
clone: user_version 0, application_id 0, delete, 1 row
iterdump: user_version 0, application_id 0, delete, 1 row
apsw: user_version 7, application_id 1234, delete, 1 row
backup: user_version 7, application_id 1234, wal, 1 row
vacuum: user_version 7, application_id 1234, delete, 1 row
END
diff seen expected
