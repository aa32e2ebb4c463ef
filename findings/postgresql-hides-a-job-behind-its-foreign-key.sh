#!/bin/sh
# PostgreSQL 15 (Debian 12, installed).
# Behaviour: an insert into a table with a foreign key to `job` locks the row of the job that it names, `for key share`,
#   until its transaction ends. `for update` conflicts with that lock, so `for update skip locked` takes this job for
#   one that somebody works on, and goes on to a later one. It is the same the other way round: while a worker holds its
#   job with `for update`, whoever adds a line to the job's log, history or comments waits. `for no key update`
#   conflicts with neither, still keeps out a second worker, and is what an `update` of the state takes anyway. A
#   worker that deletes its job needs the stronger lock for that, and waits there.
# Expected: only jobs that another worker holds are skipped, since a row in another table changes nothing in the job.
# Who meets it: queues with a second table for attempts, logs or files, and a web server or an import that writes to it
#   in long transactions: jobs are executed out of order, a worker that looks for its one job finds nothing and goes
#   back to sleep, and the page that adds a comment hangs until the job is done. There is no error, and none of the
#   statements in question names the other table.
set -eu
binaries=/usr/lib/postgresql/15/bin
[ -x $binaries/initdb ] || { echo "postgresql-15 is missing" >&2; exit 1; }
work=$(mktemp -d)
chmod 755 "$work"
server= holder=
trap '[ -z "$holder" ] || kill $holder 2>/dev/null || true
  [ -z "$server" ] || as "$binaries/pg_ctl" -D "$work/data" -m immediate stop >/dev/null
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
query() { psql -h "$work" -U me -XAtq postgres "$@"; }
query <<'END'
create table job (id int primary key, state text not null default 'ready');
create table line (job int not null references job, content text);
insert into job select generate_series(1, 3);
END
# A session of its own, whose transaction stays open. `hold` begins one, and ends the one before.
mkfifo statements
query <statements >>answers &
holder=$!
exec 3>statements
echo "begin;" >&3
hold() {
  : >answers
  echo "rollback; begin; $1; select 'held';" >&3
  while ! grep -q held answers; do sleep 0.05; done
}
first() { query -c "select id from job order by id limit 1 for $1 skip locked"; }
try() { # description, statement
  if query -c "set lock_timeout = '300ms'" -c "$2" >/dev/null 2>error; then echo "$1: done"
  elif grep -q "lock timeout" error; then echo "$1: waits"
  else cat error; fi
}
{
  hold "insert into line values (1, 'an open transaction')"
  echo "a line of job 1 is being added"
  echo "for update: job $(first update)"
  echo "for no key update: job $(first 'no key update')"
  try "update job 1" "update job set state = 'running' where id = 1"
  try "delete job 1" "delete from job where id = 1"
  for lock in "update" "no key update"; do
    hold "select from job where id = 1 for $lock"
    echo "a worker holds job 1 for $lock"
    echo "a second worker: job $(first "$lock")"
    try "add a line to it" "insert into line values (1, 'a comment')"
  done
} | tee seen
exec 3>&-
cat >expected <<'END'
a line of job 1 is being added
for update: job 2
for no key update: job 1
update job 1: done
delete job 1: waits
a worker holds job 1 for update
a second worker: job 2
add a line to it: waits
a worker holds job 1 for no key update
a second worker: job 2
add a line to it: done
END
diff seen expected
