#!/bin/sh
# curl 7.88.1 (Debian 12, installed).
# Behaviour: with several addresses, or `{a,b}` in one, `curl --fail` exits with the status of the last
#   transfer: a 404 for the first and a 200 for the second is 0. With --parallel any failure is the
#   status, and with --fail-early the first ends it.
# Expected: --fail makes the command fail; --parallel changes how long it takes.
# Who meets it: steps that fetch a list, `curl -fsSO base/{program,checksum,licence}`: a file is missing
#   and the build goes on; those who then add -Z for speed get failures that were there before.
set -eu
command -v curl >/dev/null || { echo "curl is missing" >&2; exit 1; }
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
cd "$work"
mkdir files
echo here >files/there
cat >server.py <<'END'
import functools, http.server

handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="files")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
with open("number", "w") as file:
    file.write(str(server.server_port))
open("listening", "w").close()
server.serve_forever()
END
python3 server.py 2>/dev/null &
server=$!
while [ ! -e listening ]; do sleep 0.1; done
base=http://127.0.0.1:$(cat number)
try() { # name, arguments
  name=$1
  shift
  status=0
  curl --noproxy '*' --fail --silent "$@" >/dev/null 2>&1 || status=$?
  echo "$name: status $status"
}
{
  try "missing, there" "$base/missing" "$base/there"
  try "there, missing" "$base/there" "$base/missing"
  try "{missing,there}" "$base/{missing,there}"
  try "missing, there, parallel" --parallel "$base/missing" "$base/there"
  try "missing, there, early" --fail-early "$base/missing" "$base/there"
} | tee seen
cat >expected <<'END'
missing, there: status 0
there, missing: status 22
{missing,there}: status 0
missing, there, parallel: status 22
missing, there, early: status 22
END
diff seen expected
