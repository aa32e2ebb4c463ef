#!/bin/sh
# SQLite 3.54.1 in apsw 3.54.1.0 (PyPI) on overlayfs (Linux 6.18).
# Behaviour: a database comes with the lower layer, the image of a container. A reader opens it
#   read-only and sets `PRAGMA mmap_size`, and a writer changes the database: overlayfs copies the file
#   up, and the reader's mapping stays with the lower file. It returns the old rows for as long as it is
#   open, without an error. A reader without mmap_size sees each commit.
# Expected: mmap_size makes reads faster, and all connections of one kernel see one file.
# Who meets it: databases that are baked into an image, with "read-only, mmap" for the server and an
#   import that updates them in the running container. On a volume or another disk all is well.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q apsw==3.54.1.0
cd "$work"
cat >read.py <<'END'
import apsw, sys

folder = sys.argv[1]

def reader(mapped):
    connection = apsw.Connection(f"{folder}/file.db", flags=apsw.SQLITE_OPEN_READONLY)
    connection.execute(f"pragma mmap_size = {mapped}").fetchall()
    return connection

def value(connection):
    return connection.execute("select x from t").fetchone()[0]

readers = {"mmap": reader(1 << 20), "no mmap": reader(0)}
for connection in readers.values():
    value(connection)
writer = apsw.Connection(f"{folder}/file.db", flags=apsw.SQLITE_OPEN_READWRITE)
for number in 2, 3:
    writer.execute("update t set x = ?", [number])
    print(f"{folder}: written {number},", ", ".join(f"{name} {value(one)}" for name, one in readers.items()))
print(f"{folder}: opened now, mmap {value(reader(1 << 20))}")
END
# The mounts are those of this process alone, and go with it.
unshare --mount sh -eu -c '
  mkdir layers
  mount -t tmpfs none layers
  mkdir layers/lower layers/upper layers/work plain overlay
  "$1" -c "import apsw; apsw.Connection(\"layers/lower/file.db\").execute(\"create table t(x); insert into t values(1)\")"
  cp layers/lower/file.db plain
  mount -t overlay -o lowerdir=layers/lower,upperdir=layers/upper,workdir=layers/work none overlay
  "$1" read.py plain
  "$1" read.py overlay' sh "$work/env/bin/python" | tee seen
cat >expected <<'END'
plain: written 2, mmap 2, no mmap 2
plain: written 3, mmap 3, no mmap 3
plain: opened now, mmap 3
overlay: written 2, mmap 1, no mmap 2
overlay: written 3, mmap 1, no mmap 3
overlay: opened now, mmap 3
END
diff seen expected
