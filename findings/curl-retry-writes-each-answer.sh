#!/bin/sh
# curl 7.88.1 (Debian 12, installed).
# Behaviour: with `--retry` and standard output, the body of an answer that is tried again stays there, and that of
#   the next try follows: "try later" and then the document, with status 0. With `--fail` it is so for a body that
#   was cut off, with --retry-all-errors: a part, then the whole. With -o the file has the last body alone.
# Expected: a try that does not count leaves nothing behind; where it cannot be taken back, as in a pipe,
#   an error.
# Who meets it: `curl -fsSL --retry 5 --retry-all-errors address | tar x`, `| sh` and `| jq`, written by those
#   who care about bad networks: on the day on which the retry is needed the archive is corrupt, the
#   first lines of the script are executed twice, or the JSON has two values.
set -eu
command -v curl >/dev/null || { echo "curl is missing" >&2; exit 1; }
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
cd "$work"
cat >server.py <<'END'
import collections, http.server

count = collections.Counter()

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        count[self.path] += 1
        first = count[self.path] == 1
        body = b"one two three four"
        if first and self.path.startswith("/busy"):
            self.send_response(503)
            body = b"try later, "
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        cut = first and self.path.startswith("/cut")
        self.wfile.write(body[:9] if cut else body)
        self.close_connection = cut
    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
END
python3 server.py >port 2>/dev/null &
server=$!
while [ ! -s port ]; do sleep 0.05; done
get() { # path, options
  path=$1
  shift
  status=0
  curl -s "$@" "http://127.0.0.1:$(cat port)/$path" >out || status=$?
  echo "$path, curl $*: status $status, [$(cat out)]$([ ! -e file ] || echo ", file [$(cat file)]")"
  rm -f file
}
{
  get busy1 --retry 2
  get busy2 --retry 2 -o file
  get busy3 --retry 2 --fail
  get cut1 --retry 2 --fail
  get cut2 --retry 2 --fail --retry-all-errors
  get cut3 --retry 2 --fail --retry-all-errors -o file
} | tee seen
cat >expected <<'END'
busy1, curl --retry 2: status 0, [try later, one two three four]
busy2, curl --retry 2 -o file: status 0, [], file [one two three four]
busy3, curl --retry 2 --fail: status 0, [one two three four]
cut1, curl --retry 2 --fail: status 18, [one two t]
cut2, curl --retry 2 --fail --retry-all-errors: status 0, [one two tone two three four]
cut3, curl --retry 2 --fail --retry-all-errors -o file: status 0, [], file [one two three four]
END
diff seen expected
