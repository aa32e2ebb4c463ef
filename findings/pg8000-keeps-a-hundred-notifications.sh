#!/bin/sh
# pg8000 1.31.6 (PyPI) and PostgreSQL 15 (Debian 12, installed).
# Behaviour: pg8000 puts notifications in a deque of the connection as it reads the answers to queries.
#   The deque has room for a hundred: what comes beyond that pushes out the oldest, without an error or
#   a word, even when all of them came with one answer.
# Expected: what the server has delivered is kept until the program takes it out.
# Who meets it: workers that poll, `select 1` and then the deque, when a transaction notifies of more
#   than a hundred rows or the worker was busy meanwhile: the oldest jobs wait for ever, and tests with a
#   few of them pass.
set -eu
binaries=/usr/lib/postgresql/15/bin
[ -x $binaries/initdb ] || { echo "postgresql-15 is missing" >&2; exit 1; }
work=$(mktemp -d)
chmod 755 "$work"
server=
trap '[ -z "$server" ] || as $binaries/pg_ctl -D "$work/data" -m immediate stop >/dev/null
  rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q pg8000==1.31.6
cd "$work"
# PostgreSQL refuses to run as root.
as() {
  if [ "$(id -u)" -ne 0 ]; then "$@"
  else setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$work" "$@"; fi
}
[ "$(id -u)" -ne 0 ] || chown nobody "$work"
as $binaries/initdb -D "$work/data" -A trust -U me --no-sync >/dev/null
as $binaries/pg_ctl -D "$work/data" -o "-c listen_addresses= -k $work -c fsync=off" \
  -w -l "$work/server.log" start >/dev/null
server=started
cat >trial.py <<'END'
import sys, pg8000.native

open_ = lambda: pg8000.native.Connection("me", unix_sock=f"{sys.argv[1]}/.s.PGSQL.5432",
                                         database="postgres")
listener, sender = open_(), open_()
listener.run("listen jobs")
for count in 100, 101, 250:
    sender.run("select pg_notify('jobs', n::text) from generate_series(1, :count) n", count=count)
    listener.run("select 1")
    arrived = [payload for _, _, payload in listener.notifications]
    listener.notifications.clear()
    print(f"{count} sent: {len(arrived)} arrived, {arrived[0]} to {arrived[-1]}")
END
"$work/env/bin/python" trial.py "$work" | tee seen
cat >expected <<'END'
100 sent: 100 arrived, 1 to 100
101 sent: 100 arrived, 2 to 101
250 sent: 100 arrived, 151 to 250
END
diff seen expected
