#!/bin/sh
# pg_dump of PostgreSQL 15 and sqlite3 3.40.1 (Debian 12, installed).
# Behaviour: `sqlite3 file .dump >backup` exits with 0 and says nothing when the disk is full, however
#   much is missing; so does every query. `pg_dump >backup` does the same with a dump that is small
#   enough for one buffer (a few kilobytes: a schema, a small table), and fails with a larger one or
#   with `--file`. psql, tar, cat and sort fail.
# Expected: a program whose output could not be written exits with another status than 0.
# Who meets it: backups and migrations of the form `dump >new && mv new current`: the good copy is
#   replaced by an empty one on the night on which the disk is full.
set -eu
binaries=/usr/lib/postgresql/15/bin
[ -x $binaries/initdb ] || { echo "postgresql-15 is missing" >&2; exit 1; }
command -v sqlite3 >/dev/null || { echo "sqlite3 is missing" >&2; exit 1; }
work=$(mktemp -d)
chmod 755 "$work"
server=
# PostgreSQL refuses to run as root.
as() {
  if [ "$(id -u)" -ne 0 ]; then "$@"
  else setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$work" "$@"; fi
}
trap '[ -z "$server" ] || as "$binaries/pg_ctl" -D "$work/data" -m immediate stop >/dev/null
  rm -rf "$work"' EXIT
cd "$work"
[ "$(id -u)" -ne 0 ] || chown nobody "$work"
as $binaries/initdb -D "$work/data" -A trust -U me --no-sync >/dev/null
as $binaries/pg_ctl -D "$work/data" -o "-c listen_addresses= -k $work -c fsync=off" \
  -w -l "$work/server.log" start >/dev/null
server=started
export PGHOST="$work" PGUSER=me PGDATABASE=postgres
psql -qc "create table small as select generate_series(1, 10)"
psql -qc "create table large as select generate_series(1, 100000)"
sqlite3 file.db "create table large as with recursive t(x) as
  (select 1 union all select x + 1 from t where x < 100000) select x from t"
# /dev/full answers each write as a full disk does.
try() { # name, command
  name=$1
  shift
  status=0
  "$@" >/dev/full 2>said || status=$?
  echo "$name: $("$@" | wc -c | awk '{print ($1 > 100000) ? "large" : "small"}'), $([ $status -eq 0 ] && echo succeeds || echo fails), $([ -s said ] && echo "says why" || echo "says nothing")"
}
{
  try "sqlite3 .dump" sqlite3 file.db .dump
  try "sqlite3 select" sqlite3 file.db "select * from large"
  try "pg_dump" $binaries/pg_dump -t small
  try "pg_dump" $binaries/pg_dump -t large
  try "pg_dump -Fc" $binaries/pg_dump -Fc -t small
  try "psql" psql -c "select * from small"
  try "cat" cat "$work/server.log"
} | tee seen
cat >expected <<'END'
sqlite3 .dump: large, succeeds, says nothing
sqlite3 select: large, succeeds, says nothing
pg_dump: small, succeeds, says nothing
pg_dump: large, fails, says why
pg_dump -Fc: small, succeeds, says nothing
psql: small, fails, says why
cat: small, fails, says why
END
diff seen expected
