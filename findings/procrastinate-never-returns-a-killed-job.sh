#!/bin/sh
# procrastinate 3.10.0 beside pgqueuer 1.6.0 (PyPI), PostgreSQL 15 (Debian 12, installed).
# Behaviour: a worker that is killed leaves its job `doing`. The next worker notices that the first one
#   has gone and deletes it from the table of workers, and leaves the job: it is not executed again,
#   with `retry` neither, and each later job with the same `lock` waits for it for ever. Nothing is
#   logged. pgqueuer executes such a job again when its heartbeat has stopped.
# Expected: with heartbeats of workers in the database, the job of a dead one returns to the queue.
# Who meets it: workers that the out-of-memory killer ends, or a pod that is evicted: one customer's or one
#   repository's jobs, which share a lock, stop from that minute on, and the rest works. A task of one's
#   own must ask for stalled jobs and retry them.
set -eu
binaries=/usr/lib/postgresql/15/bin
[ -x $binaries/initdb ] || { echo "postgresql-15 is missing" >&2; exit 1; }
work=$(mktemp -d)
chmod 755 "$work"
server=
trap '[ -z "$server" ] || as $binaries/pg_ctl -D "$work/data" -m immediate stop >/dev/null
  rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q 'procrastinate==3.10.0' pgqueuer==1.6.0 'psycopg[binary]==3.3.9' asyncpg==0.32.0
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
address="postgresql://me@/postgres?host=$work"
cat >with_procrastinate.py <<'END'
import asyncio, sys, procrastinate

app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=sys.argv[1]))

async def note(text):
    with open("procrastinate", "a") as log:
        print(text, file=log)

@app.task(name="job", retry=5)
async def job(label):
    await note(f"start {label}")
    if sys.argv[2] == "dies":
        await asyncio.sleep(600)

async def main():
    async with app.open_async():
        if sys.argv[2] == "defer":
            await app.schema_manager.apply_schema_async()
            for label, lock in ("first", "shop"), ("second", "shop"), ("third", "other"):
                await app.configure_task("job", lock=lock).defer_async(label=label)
        else:
            await app.run_worker_async(concurrency=1, update_heartbeat_interval=0.5,
                                       stalled_worker_timeout=2)

asyncio.run(main())
END
cat >with_pgqueuer.py <<'END'
import asyncio, datetime, sys, asyncpg
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries

async def main():
    driver = AsyncpgDriver(await asyncpg.connect(sys.argv[1]))
    if sys.argv[2] == "defer":
        await Queries(driver).install()
        await Queries(driver).enqueue(["job"], [b"first"], [0])
        return
    queue = PgQueuer(driver)

    @queue.entrypoint("job")
    async def job(job):
        with open("pgqueuer", "a") as log:
            print("start", job.payload.decode(), file=log)
        if sys.argv[2] == "dies":
            await asyncio.sleep(600)

    two = datetime.timedelta(seconds=2)
    await queue.run(batch_size=1, heartbeat_timeout=two, dequeue_timeout=two)

asyncio.run(main())
END
query() { psql -h "$work" -U me -d postgres -Atc "$1"; }
worker=
trial() { # a worker that is killed, and one that starts when its heartbeat is old
  "$work/env/bin/python" "with_$1.py" "$address" defer >/dev/null 2>>errors
  "$work/env/bin/python" "with_$1.py" "$address" dies >/dev/null 2>>errors &
  worker=$!
  while ! grep -q start "$1" 2>/dev/null; do sleep 0.2; done
  kill -KILL "$worker"
  wait "$worker" 2>/dev/null || true
  sleep 4
  "$work/env/bin/python" "with_$1.py" "$address" lives >/dev/null 2>>errors &
  worker=$!
  for _ in $(seq 100); do
    [ "$(grep -c first "$1")" = 2 ] && break
    sleep 0.2
  done
  echo "$1: $(tr '\n' ',' <"$1")"
}
{
  trial procrastinate
  echo "  workers: $(query 'select count(*) from procrastinate_workers')," \
    "jobs: $(query "select string_agg(status::text, ' ' order by id) from procrastinate_jobs")"
  kill "$worker"
  wait "$worker" || true
  trial pgqueuer
  kill "$worker"
  wait "$worker" 2>/dev/null || true
} | tee seen
cat >expected <<'END'
procrastinate: start first,start third,
  workers: 1, jobs: doing todo succeeded
pgqueuer: start first,start first,
END
diff seen expected
