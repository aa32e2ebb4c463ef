#!/bin/sh
# redis-cli and redis-server 7.0.15 (Debian 12).
# Behaviour: an error that the server answers with is text on standard output, and the status of redis-cli is 0:
#   the server is loading its data, a password is missing or wrong, a command is unknown or cannot be
#   executed. Only a server that cannot be reached is a 1. With `-e` an error is a 1, on standard error.
# Expected: a status other than 0, as from psql and sqlite3 for a statement that failed.
# Who meets it: health checks of the form `test: ["CMD", "redis-cli", "ping"]`, which compose files are full of:
#   the service is healthy while it still reads its data, or with a password that the check does not have, and
#   what depends on it starts and fails. Deployments that set a flag with redis-cli go on though it was not set.
set -eu
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
apt-get download redis-server=5:7.0.15-1~deb12u7 redis-tools=5:7.0.15-1~deb12u7 \
  libjemalloc2=5.3.0-1 liblzf1=3.6-3 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
export LD_LIBRARY_PATH="$work/root/usr/lib/x86_64-linux-gnu"
start() {
  root/usr/bin/redis-server --port 0 --unixsocket "$work/socket" --dir "$work" --save "" "$@" >log &
  server=$!
  while [ ! -S socket ]; do sleep 0.05; done
}
stop() {
  kill $server
  wait $server || true
  server=
  rm -f socket
}
cli() {
  status=0
  root/usr/bin/redis-cli --no-auth-warning -s "$work/socket" "$@" >answer 2>error || status=$?
  echo "redis-cli $*: status $status"
  sed '/^$/d; s/ $//; s/^/  stdout: /' answer
  sed '/^$/d; s/^/  stderr: /' error | cut -c1-35
}
{
  cli ping
  start
  cli set name text
  cli incr name
  cli nosuch
  cli -e incr name
  cli eval "for i = 1, 20000 do redis.call('set', i, i) end" 0
  cli save
  stop
  # Reads its data slowly, as it would with more of it.
  start --key-load-delay 500 --loading-process-events-interval-bytes 1024
  cli ping
  cli -e ping
  cli set flag 1
  stop
  rm dump.rdb
  start --requirepass secret
  cli ping
  cli -a wrong ping
  cli -a secret ping
  stop
} | tee seen
cat >expected <<'END'
redis-cli ping: status 1
  stderr: Could not connect to Redi
redis-cli set name text: status 0
  stdout: OK
redis-cli incr name: status 0
  stdout: ERR value is not an integer or out of range
redis-cli nosuch: status 0
  stdout: ERR unknown command 'nosuch', with args beginning with:
redis-cli -e incr name: status 1
  stderr: ERR value is not an integ
redis-cli eval for i = 1, 20000 do redis.call('set', i, i) end 0: status 0
redis-cli save: status 0
  stdout: OK
redis-cli ping: status 0
  stdout: LOADING Redis is loading the dataset in memory
redis-cli -e ping: status 1
  stderr: LOADING Redis is loading 
redis-cli set flag 1: status 0
  stdout: LOADING Redis is loading the dataset in memory
redis-cli ping: status 0
  stdout: NOAUTH Authentication required.
redis-cli -a wrong ping: status 0
  stdout: NOAUTH Authentication required.
  stderr: AUTH failed: WRONGPASS in
redis-cli -a secret ping: status 0
  stdout: PONG
END
diff seen expected
