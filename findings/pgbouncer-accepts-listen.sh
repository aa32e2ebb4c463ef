#!/bin/sh
# PgBouncer 1.18.0 and PostgreSQL 15 (Debian 12).
# Behaviour: with `pool_mode = transaction` LISTEN is answered as on a direct connection, and no
#   notification ever arrives; PgBouncer logs `got packet 'A' from server when not linked`.
# Expected: an error, as the listening session is given back to the pool at once.
# Who meets it: queues that wake workers by NOTIFY (River, Oban, Solid Queue, graphile-worker) behind
#   a pooler: everything works, only as slowly as they poll.
set -eu
binaries=/usr/lib/postgresql/15/bin
[ -x $binaries/initdb ] || { echo "postgresql-15 is missing" >&2; exit 1; }
work=$(mktemp -d)
chmod 755 "$work"
server= pooler=
trap 'kill $pooler 2>/dev/null || true
  [ -z "$server" ] || as "$binaries/pg_ctl" -D "$work/data" -m immediate stop >/dev/null
  rm -rf "$work"' EXIT
cd "$work"
apt-get download pgbouncer=1.18.0-1+deb12u1 libc-ares2 libevent-2.1-7 >/dev/null
for package in *.deb; do dpkg -x "$package" root; done
libraries=$(echo "$work"/root/usr/lib/*-linux-gnu)
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
cat >pooler.ini <<END
[databases]
jobs = host=$work dbname=postgres user=me
[pgbouncer]
listen_addr =
unix_socket_dir = $work
listen_port = 6432
auth_type = any
pool_mode = transaction
END
as env LD_LIBRARY_PATH="$libraries" "$work/root/usr/sbin/pgbouncer" pooler.ini >pooler.log 2>&1 &
pooler=$!
while [ ! -S "$work/.s.PGSQL.6432" ]; do sleep 0.1; done
# A session that listens, and looks for notifications with its next statement.
listen() { # port, database, file
  { echo "listen jobs;"; while [ ! -e notified ]; do sleep 0.1; done; echo "select 'still here';"; } |
    psql -h "$work" -p "$1" -U me -At "$2" >"$3" 2>&1
}
listen 5432 postgres direct &
direct=$!
listen 6432 jobs pooled &
pooled=$!
while ! grep -q LISTEN direct || ! grep -q LISTEN pooled; do sleep 0.1; done
psql -q -h "$work" -U me postgres -c "notify jobs, 'one'"
sleep 0.5
touch notified
wait "$direct" "$pooled"
sed 's/^/direct: /' direct
sed 's/^/pooled: /' pooled
grep -q 'notification "jobs" with payload "one"' direct
grep -q '^LISTEN$' pooled && grep -q '^still here$' pooled && ! grep -q notification pooled
