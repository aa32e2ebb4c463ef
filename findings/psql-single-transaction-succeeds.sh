#!/bin/sh
# psql of PostgreSQL 15 (Debian 12, installed).
# Behaviour: `psql --single-transaction -f file` rolls all of the file back when a statement fails, goes
#   on through the rest of it, and exits with 0. From standard input it does the same. With
#   `-v ON_ERROR_STOP=1` the status is 3.
# Expected: an error within the one transaction is the failure of the command.
# Who meets it: migrations of the form `psql -1 -f change.sql && mark-as-applied`: the step is recorded
#   as done, and nothing of it is in the database.
set -eu
binaries=/usr/lib/postgresql/15/bin
[ -x $binaries/initdb ] || { echo "postgresql-15 is missing" >&2; exit 1; }
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
cat >change.sql <<'END'
create table done(step int);
insert into done values (1);
insert into missing values (2);
insert into done values (3);
END
try() { # name, options of psql
  name=$1
  shift
  psql -qc "drop table if exists done" 2>/dev/null
  status=0
  psql -X -q "$@" <change.sql 2>/dev/null || status=$?
  rows=$(psql -Atc "select count(*) from done" 2>/dev/null) || rows=none
  echo "$name: status $status, rows $rows"
}
{
  try "each its own" -f change.sql
  try "single" --single-transaction -f change.sql
  try "single, from standard input" --single-transaction
  try "single, stop" --single-transaction -v ON_ERROR_STOP=1 -f change.sql
} | tee seen
cat >expected <<'END'
each its own: status 0, rows 2
single: status 0, rows none
single, from standard input: status 0, rows none
single, stop: status 3, rows none
END
diff seen expected
