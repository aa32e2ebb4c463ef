#!/bin/sh
# SQLite 3.54.1 in apsw 3.54.1.0 (PyPI) and the program sqlite3 3.40.1 (Debian 12, installed).
# Behaviour: a process has a database open in WAL mode and reads the same file as a file, to copy or to hash
#   it. Closing that file drops all locks of the process on it, as POSIX has it. The next other program that
#   opens and closes the database takes itself for the last one and deletes the WAL, and what the process
#   commits from then on goes into the deleted file: it sees its rows, nobody else does, and they are gone
#   if it is killed. Nothing fails, and the database is sound.
# Expected: reading a file harms nobody; a copy taken beside a writer is bad at worst itself.
# Who meets it: servers with a backup, an upload or a checksum of their own database inside, once somebody
#   looks at it with `sqlite3 app.db`. SQLite's backup API, VACUUM INTO and a copy by another process
#   leave the locks.
set -eu
command -v sqlite3 >/dev/null || { echo "sqlite3 is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q apsw==3.54.1.0
cd "$work"
cat >server.py <<'END'
import hashlib, os, shutil, signal, subprocess, sys, apsw

def other(query):
    return subprocess.run(["sqlite3", "app.db", query], capture_output=True, text=True).stdout.split()

way = sys.argv[1]
connection = apsw.Connection("app.db")
connection.pragma("journal_mode", "wal")
connection.execute("create table rows (x)")
connection.execute("insert into rows values ('before')")
if way == "copy":
    shutil.copy("app.db", "copy.db")
elif way == "hash":
    with open("app.db", "rb") as file:
        hashlib.file_digest(file, "sha256")
elif way == "cp":
    subprocess.run(["cp", "app.db", "copy.db"], check=True)
elif way == "vacuum":
    connection.execute("vacuum into 'copy.db'")
other("select * from rows")
connection.execute("insert into rows values ('after')")
own = [x for [x] in connection.execute("select x from rows")]
print(f"{way}: the server sees {own}, others {other('select x from rows')}", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
END
for way in nothing cp vacuum copy hash; do
  rm -f app.db* copy.db
  "$work/env/bin/python" server.py $way || true
  echo "  killed then: $(sqlite3 app.db 'select x from rows' | tr '\n' ' ')$(sqlite3 app.db 'pragma integrity_check')"
done 2>/dev/null | tee seen
cat >expected <<'END'
nothing: the server sees ['before', 'after'], others ['before', 'after']
  killed then: before after ok
cp: the server sees ['before', 'after'], others ['before', 'after']
  killed then: before after ok
vacuum: the server sees ['before', 'after'], others ['before', 'after']
  killed then: before after ok
copy: the server sees ['before', 'after'], others ['before']
  killed then: before ok
hash: the server sees ['before', 'after'], others ['before']
  killed then: before ok
END
diff seen expected
