#!/bin/sh
# redis-server and redis-cli 7.0.15 (Debian 12, installed).
# Behaviour: a server with changes to save that cannot write them refuses TERM: it logs "Error trying to save the DB,
#   can't exit", and goes on, reads and takes writes, however often TERM is sent. `SHUTDOWN` is refused as well. Only
#   `SHUTDOWN NOSAVE` and KILL end it. Without changes, or with `save ""`, TERM ends it with 0.
# Expected: TERM ends a server, with a status that says that the last changes are lost; to stay is for commands.
# Who meets it: services of tests and of developers whose folder is cleaned up before they are ended, a full disk, a
#   volume that went first: `kill` and `wait` in a script wait for ever, and supervisors use up their grace.
set -eu
for program in redis-server redis-cli; do
  command -v $program >/dev/null || { echo "$program is missing" >&2; exit 1; }
done
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill -9 "$server" 2>/dev/null || true
  rm -rf "$work"' EXIT
cd "$work"
cli() { redis-cli -s "$work/socket" "$@"; }
failures() { grep -c "can't exit" "log" || true; }
start() { # value of save
  mkdir data
  redis-server --port 0 --unixsocket "$work/socket" --dir "$work/data" --save "$1" >log 2>&1 &
  server=$!
  while ! cli ping >/dev/null 2>&1; do sleep 0.1; done
  cli set a 1 >/dev/null
  rm -r data
}
ended() {
  status=0
  wait "$server" || status=$?
  server=
  echo "ended with $status"
}
{
  start "3600 1"
  for try in 1 2; do
    kill "$server"
    while [ "$(failures)" -lt $try ]; do sleep 0.1; done
    echo "TERM, try $try: $(cli get a), set: $(cli set a "$((try + 1))")"
  done
  echo "shutdown: $(cli shutdown 2>&1)"
  cli shutdown nosave >answer
  echo "shutdown nosave: $(cat answer)"
  ended
  start ""
  kill "$server"
  echo "TERM, nothing to save:"
  ended
} >seen 2>&1
cat seen
cat >expected <<'END'
TERM, try 1: 1, set: OK
TERM, try 2: 2, set: OK
shutdown: ERR Errors trying to SHUTDOWN. Check logs.
shutdown nosave: 
ended with 0
TERM, nothing to save:
ended with 0
END
diff seen expected
