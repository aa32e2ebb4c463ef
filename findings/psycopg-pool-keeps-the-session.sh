#!/bin/sh
# psycopg-pool 3.3.3 with psycopg 3.3.9 beside asyncpg 0.32.0 (PyPI), PostgreSQL 15 (Debian 12,
#   installed).
# Behaviour: a connection that goes back to psycopg's pool keeps its session: advisory locks, `SET`,
#   temporary tables and LISTEN are there for whoever gets it next. A lock survives an exception in the
#   block too, whose `SET` is rolled back. asyncpg's pool releases locks, resets settings and stops
#   listening; temporary tables stay there as well.
# Expected: both pools give out connections that are as good as new, or neither does.
# Who meets it: jobs that lock with `pg_advisory_lock` and leave the unlocking to the end of the block:
#   with one connection in the pool each gets the lock again, as it is its own session's; with more of
#   them, or a second process, the job waits for a lock that nobody will release.
set -eu
binaries=/usr/lib/postgresql/15/bin
[ -x $binaries/initdb ] || { echo "postgresql-15 is missing" >&2; exit 1; }
work=$(mktemp -d)
chmod 755 "$work"
server=
trap '[ -z "$server" ] || as $binaries/pg_ctl -D "$work/data" -m immediate stop >/dev/null
  rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q 'psycopg[binary,pool]==3.3.9' psycopg-pool==3.3.3 asyncpg==0.32.0
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
import asyncio, sys, asyncpg, psycopg, psycopg_pool

address = f"postgresql://me@/postgres?host={sys.argv[1]}"
CHANGES = ["select pg_advisory_lock(1)", "set statement_timeout = '9s'",
           "create temporary table scratch (x int)", "listen jobs"]
ASKED = """select current_setting('statement_timeout'), to_regclass('scratch') is not null,
           (select count(*) from pg_listening_channels())"""

def lock():
    with psycopg.connect(address) as other:
        [free] = other.execute("select pg_try_advisory_lock(1)").fetchone()
    return "lock free" if free else "lock held"

def show(name, row):
    print(f"{name}: {lock()}, limit {row[0]}, table {row[1]}, channels {row[2]}")

def with_psycopg(name, fails):
    with psycopg_pool.ConnectionPool(address, min_size=1, max_size=1) as pool:
        try:
            with pool.connection() as connection:
                for change in CHANGES:
                    connection.execute(change)
                if fails:
                    raise ValueError
        except ValueError:
            pass
        with pool.connection() as connection:
            show(name, connection.execute(ASKED).fetchone())

async def with_asyncpg():
    async with asyncpg.create_pool(address, min_size=1, max_size=1) as pool:
        async with pool.acquire() as connection:
            for change in CHANGES:
                await connection.execute(change)
        async with pool.acquire() as connection:
            show("asyncpg", await connection.fetchrow(ASKED))

with_psycopg("psycopg", False)
with_psycopg("psycopg, exception", True)
asyncio.run(with_asyncpg())
END
"$work/env/bin/python" trial.py "$work" | tee seen
cat >expected <<'END'
psycopg: lock held, limit 9s, table True, channels 1
psycopg, exception: lock held, limit 0, table False, channels 0
asyncpg: lock free, limit 0, table True, channels 0
END
diff seen expected
