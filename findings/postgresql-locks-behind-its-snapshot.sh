#!/bin/sh
# PostgreSQL 15 (Debian 12, installed).
# Behaviour: a transaction whose isolation level is `repeatable read` or `serializable` takes its snapshot when its
#   first query begins, and `select pg_advisory_xact_lock(1)` is a query: it waits for the lock behind a snapshot
#   that is older. What the holder of the lock has committed is not seen by any query of the transaction, without
#   an error. `lock table`, which is no query, waits first. With `read committed` the next query sees the rows,
#   but not one that locks and reads in the same statement.
# Expected: a lock at the start of a transaction orders it behind the one that held the lock, and the stricter
#   levels see at least what the weaker one does.
# Who meets it: jobs, migrations and counters that exclude each other by an advisory lock, in a framework that is
#   set to `repeatable read`: the second reads what was there before the first, sends the mail again or
#   takes the same number. Only those that had to wait do so, and so no test does.
set -eu
binaries=/usr/lib/postgresql/15/bin
[ -x $binaries/initdb ] || { echo "postgresql-15 is missing" >&2; exit 1; }
work=$(mktemp -d)
chmod 755 "$work"
server=
trap '[ -z "$server" ] || as $binaries/pg_ctl -D "$work/data" -m immediate stop >/dev/null
  rm -rf "$work"' EXIT
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
query() { psql -h "$work" -U me -qAt postgres "$@"; }
waiting() { query -c "select count(*) from pg_locks where not granted"; }
query -c "create table stock (left_over int); insert into stock values (1)"
# What is left over, for a transaction that waits for a lock until another has taken the last one.
second() { # label, lock, query
  query -c "update stock set left_over = 1"
  rm -f commit
  { echo "begin; $2; update stock set left_over = 0;"; while [ ! -e commit ]; do sleep 0.1; done; echo "commit;"; } |
    query >/dev/null &
  while [ "$(query -c "select count(*) from pg_locks where granted and
    (locktype = 'advisory' or mode = 'ExclusiveLock' and relation = 'stock'::regclass)")" = 0 ]; do sleep 0.1; done
  query -c "$3" | tail -n 1 >read &
  reader=$!
  while [ "$(waiting)" = 0 ]; do sleep 0.1; done
  touch commit
  wait "$reader"
  echo "$1: reads $(cat read), then $(query -c "select left_over from stock")"
}
advisory="select pg_advisory_xact_lock(1)"
table="lock table stock in exclusive mode"
for level in "read committed" "repeatable read" "serializable"; do
  for lock in "$advisory" "$table"; do
    second "$level, ${lock%% *}" "$lock" "begin isolation level $level; $lock; select left_over from stock; commit"
  done
done >seen
second "one statement" "$advisory" \
  "with locked as materialized ($advisory) select left_over from locked, stock" >>seen
cat seen
cat >expected <<'END'
read committed, select: reads 0, then 0
read committed, lock: reads 0, then 0
repeatable read, select: reads 1, then 0
repeatable read, lock: reads 0, then 0
serializable, select: reads 1, then 0
serializable, lock: reads 0, then 0
one statement: reads 1, then 0
END
diff seen expected
