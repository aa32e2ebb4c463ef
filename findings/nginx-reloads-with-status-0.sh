#!/bin/sh
# nginx 1.22.1 (Debian 12, installed).
# Behaviour: `nginx -t` accepts a configuration with an address that another program has, and `nginx -s reload`
#   exits with 0. The server tries for two and a half seconds, drops the whole new configuration, also what has
#   nothing to do with that address, and goes on with the old one; only its error log says so. A syntax error is
#   a 1 from both. A start with that configuration is a 1 as well.
# Expected: `-s reload` waits for the answer, or `-t` asks for the address, since that is what it is for.
# Who meets it: deployments of the form `nginx -t && nginx -s reload`: certificates, upstreams and routes stay the
#   old ones behind a green step, until the next restart, and then nothing is served at all.
set -eu
program=$(command -v nginx || echo /usr/sbin/nginx)
[ -x "$program" ] || { echo "nginx is missing" >&2; exit 1; }
work=$(mktemp -d)
server=
trap 'exec 3>&-
  [ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
cd "$work"
mkdir logs
write() { # answer, another address
  cat >nginx.conf <<END
daemon off;
pid $work/pid;
error_log $work/errors;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen unix:$work/socket;
    $2
    location / { return 200 "$1"; }
  }
}
END
}
nginx() { "$program" -p "$work" -c "$work/nginx.conf" -e "$work/errors" "$@" 2>/dev/null; }
# Has a port as long as its input is open.
mkfifo open
python3 -c 'import socket, sys
taken = socket.create_server(("127.0.0.1", 0))
print(taken.getsockname()[1], flush=True)
sys.stdin.read()' <open >port &
exec 3>open
while [ ! -s port ]; do sleep 0.1; done
answer() { curl -s --unix-socket socket http://server/; }
step() { # command
  status=0
  nginx "$@" || status=$?
  echo "  nginx $*: status $status"
}
write old ""
"$program" -p "$work" -c "$work/nginx.conf" -e "$work/errors" &
server=$!
while ! answer >/dev/null; do sleep 0.1; done
{
  echo "at the start: $(answer)"
  write "new" "listen 127.0.0.1:$(cat port);"
  step -t
  step -s reload
  while ! grep -q 'still could not bind' errors; do sleep 0.1; done
  echo "a taken address: $(answer)"
  write "new" "listne 127.0.0.1:1;"
  step -t
  step -s reload
  write "new" ""
  step -s reload
  # Workers of both configurations answer for a moment.
  while [ "$(answer)" != new ]; do sleep 0.1; done
  echo "without it: new"
} >seen
cat seen
cat >expected <<'END'
at the start: old
  nginx -t: status 0
  nginx -s reload: status 0
a taken address: old
  nginx -t: status 1
  nginx -s reload: status 1
  nginx -s reload: status 0
without it: new
END
diff seen expected
