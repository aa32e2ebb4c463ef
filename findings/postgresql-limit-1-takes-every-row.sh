#!/bin/sh
# PostgreSQL 15 (Debian 12, installed).
# Behaviour: `delete from job where id in (select id from job order by id limit 1 for update skip locked)` can delete
#   every job. If the planner expects one row in the table, the subquery is executed again for each row of the outer
#   scan, and each time the lock skips the rows that the statement itself has already deleted: the limit is one for each
#   row. It takes an ANALYZE that saw one row, and a table that has not grown by a page since. UPDATE, FROM and
#   USING do the same. `id = (select ...)` and a common table expression take one row.
# Expected: the subquery does not refer to the outer row, so it has one result, and `limit 1` is one row.
# Who meets it: queues in PostgreSQL, whose tables are often nearly empty when autovacuum looks at them: now and then a
#   worker takes all jobs, executes the first row that it gets, and the others stay marked as running or are gone.
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
as $binaries/pg_ctl -D "$work/data" -o "-c listen_addresses= -k $work -c fsync=off -c autovacuum=off" \
  -w -l "$work/server.log" start >/dev/null
server=started
export PGHOST="$work" PGUSER=me PGDATABASE=postgres
next="select id from job where state = 'new' order by id limit 1 for update skip locked"
trial() {
  psql -X -A -t -q -v ON_ERROR_STOP=1 >ids <<END
drop table if exists job;
create table job (id bigint primary key, state text not null default 'new');
insert into job select generate_series(1, $1);
analyze job;
insert into job select generate_series($1 + 1, 10);
$2 returning job.id;
END
  echo "analyzed with $1, $3: $(grep -c . ids) of 10"
}
{
  for rows in 1 10; do
    trial $rows "delete from job where id in ($next)" "delete, in"
    trial $rows "update job set state = 'run' where id in ($next)" "update, in"
    trial $rows "delete from job using ($next) as first where first.id = job.id" "delete, using"
    trial $rows "update job set state = 'run' from ($next) as first where first.id = job.id" "update, from"
    trial $rows "delete from job where id = ($next)" "delete, ="
    trial $rows "with first as ($next) delete from job where id in (select id from first)" "with, delete"
  done
} 2>messages | tee seen
grep -v NOTICE messages >&2 || true
cat >expected <<'END'
analyzed with 1, delete, in: 10 of 10
analyzed with 1, update, in: 10 of 10
analyzed with 1, delete, using: 10 of 10
analyzed with 1, update, from: 10 of 10
analyzed with 1, delete, =: 1 of 10
analyzed with 1, with, delete: 1 of 10
analyzed with 10, delete, in: 1 of 10
analyzed with 10, update, in: 1 of 10
analyzed with 10, delete, using: 1 of 10
analyzed with 10, update, from: 1 of 10
analyzed with 10, delete, =: 1 of 10
analyzed with 10, with, delete: 1 of 10
END
diff seen expected
