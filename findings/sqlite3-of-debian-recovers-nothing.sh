#!/bin/sh
# sqlite3 3.40.1-2 (Debian 12, installed).
# Behaviour: `.recover` fails for every database, also for a sound one: it writes the settings of the new
#   database, then "sql error: SQL logic error (1)", and no table. It needs the virtual table sqlite_dbpage,
#   which Debian's library is built without. In `sqlite3 old.db .recover | sqlite3 new.db` the status is that of
#   the second program, 0, and new.db is there and passes `integrity_check`. `.dbinfo` fails for the same reason.
# Expected: a command of the program works with the library of the same package, or says what it lacks;
#   `.help` lists it without a remark.
# Who meets it: whoever has a damaged database and does what the documentation of SQLite says: the error
#   reads as if nothing could be saved, and a script with the pipeline goes on with an empty database.
set -eu
command -v sqlite3 >/dev/null || { echo "sqlite3 is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
sqlite3 old.db "create table rows (x); insert into rows values (1), (2)"
{
  echo "old.db: $(sqlite3 old.db 'pragma integrity_check'), $(sqlite3 old.db .tables)"
  echo "help: $(sqlite3 old.db .help | sed -n 's/^\(\.recover\).*/\1/p')"
  status=0
  sqlite3 old.db .recover >script 2>error || status=$?
  echo "recover: status $status, $(cat error), $(grep -c 'CREATE\|INSERT' script || true) statements for tables"
  status=0
  sqlite3 old.db .recover 2>/dev/null | sqlite3 new.db || status=$?
  echo "recover into new.db: status $status, $(sqlite3 new.db 'pragma integrity_check')," \
    "tables: $(sqlite3 new.db .tables)"
  echo "dump: $(sqlite3 old.db .dump | grep -c 'CREATE\|INSERT') statements for tables"
  echo "dbinfo: $(sqlite3 old.db .dbinfo 2>&1)"
  echo "built with: $(sqlite3 old.db 'pragma compile_options' | grep VTAB | tr '\n' ' ')"
} | tee seen
cat >expected <<'END'
old.db: ok, rows
help: .recover
recover: status 1, sql error: SQL logic error (1), 0 statements for tables
recover into new.db: status 0, ok, tables: 
dump: 3 statements for tables
dbinfo: error: no such table: sqlite_dbpage
built with: ENABLE_DBSTAT_VTAB ENABLE_STMTVTAB 
END
diff seen expected
