#!/bin/sh
# curl 7.88.1 (Debian 12, installed).
# Behaviour: `curl --etag-save tag --etag-compare tag -o file` writes the tag when the headers are there. If the
#   connection ends in the midst of the body, or curl is stopped by TERM, half of the file lies beside the whole
#   tag. The next call sends that tag, the server answers 304, and curl exits with 0, this time and each time
#   after: the file is never completed. With `--remove-on-error` there is no file at all, and still status 0.
# Expected: the tag is written when the file is complete, and without the file none is sent.
# Who meets it: caches of downloads in CI and in provisioning, which use exactly this pair of options: one
#   bad night, or a job that was cancelled, and the archive is broken from then on, with "not modified" and
#   status 0 in the log. A new name for both, and `mv` for both after success, helps.
set -eu
command -v curl >/dev/null || { echo "curl is missing" >&2; exit 1; }
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
cat >server.py <<'END'
import http.server, time

count = {}

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        count[self.path] = count.get(self.path, 0) + 1
        if self.headers["If-None-Match"] == '"1"':
            self.send_response(304)
            self.send_header("ETag", '"1"')
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("ETag", '"1"')
        self.send_header("Content-Length", "10000")
        self.end_headers()
        cut = count[self.path] == 1 and self.path != "/whole"
        self.wfile.write(b"x" * (5000 if cut else 10000))
        if cut and self.path == "/stopped":
            time.sleep(5)
        self.close_connection = cut
    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
END
python3 server.py >port &
server=$!
while [ ! -s port ]; do sleep 0.05; done
get() { # name, options
  name=$1
  shift
  for try in 1 2 3; do
    status=0
    code=$(timeout 2 curl -s -w '%{http_code}' "$@" --etag-save tag --etag-compare tag -o file \
      "http://127.0.0.1:$(cat port)/$name") || status=$?
    case $(stat -c %s file 2>/dev/null) in
      "") found="no file" ;;
      10000) found="the file" ;;
      *) found="a part of the file" ;;
    esac
    echo "$name, try $try: ${code:-stopped}, status $status, $found, tag $(cat tag)"
  done
  rm -f file tag
}
{
  get whole --fail
  get cut --fail
  get stopped --fail
  get removed --fail --remove-on-error
} | tee seen
cat >expected <<'END'
whole, try 1: 200, status 0, the file, tag "1"
whole, try 2: 304, status 0, the file, tag "1"
whole, try 3: 304, status 0, the file, tag "1"
cut, try 1: 200, status 18, a part of the file, tag "1"
cut, try 2: 304, status 0, a part of the file, tag "1"
cut, try 3: 304, status 0, a part of the file, tag "1"
stopped, try 1: stopped, status 124, a part of the file, tag "1"
stopped, try 2: 304, status 0, a part of the file, tag "1"
stopped, try 3: 304, status 0, a part of the file, tag "1"
removed, try 1: 200, status 18, no file, tag "1"
removed, try 2: 304, status 0, no file, tag "1"
removed, try 3: 304, status 0, no file, tag "1"
END
diff seen expected
