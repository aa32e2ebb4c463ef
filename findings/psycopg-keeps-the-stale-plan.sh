#!/bin/sh
# psycopg 3.3.9 beside asyncpg 0.32.0 and pg8000 1.31.6 (PyPI), PostgreSQL 15 (Debian 12, installed).
# Behaviour: psycopg prepares a query at its sixth execution. When a table that it reads with `*` gets a
#   column then, a connection with autocommit fails at this query from then on, each time, with "cached
#   plan must not change result type"; the same query with another blank works. Without autocommit the
#   rollback behind the first failure mends it. asyncpg and pg8000 never fail.
# Expected: the driver prepares the query again, as it is the one who chose to prepare it.
# Who meets it: long-lived workers and listeners, which use autocommit, at the migration that adds a
#   column: they fail until they are restarted, and only for queries that had been executed often.
#   `prepare_threshold=None` avoids it.
set -eu
binaries=/usr/lib/postgresql/15/bin
[ -x $binaries/initdb ] || { echo "postgresql-15 is missing" >&2; exit 1; }
work=$(mktemp -d)
chmod 755 "$work"
server=
trap '[ -z "$server" ] || as $binaries/pg_ctl -D "$work/data" -m immediate stop >/dev/null
  rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q 'psycopg[binary]==3.3.9' asyncpg==0.32.0 pg8000==1.31.6
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
import asyncio, sys, asyncpg, pg8000.native, psycopg

address = f"postgresql://me@/postgres?host={sys.argv[1]}"
QUERY = "select * from jobs where number = "
names = iter("abcdefgh")

def migrate():
    with psycopg.connect(address) as connection:
        connection.execute(f"alter table jobs add {next(names)} int")

def trial(name, execute):
    """How many of ten executions behind a migration fail."""
    for _ in range(8):
        execute()
    migrate()
    failed = 0
    for _ in range(10):
        try:
            execute()
        except Exception:
            failed += 1
    print(f"{name}: {failed} of 10 fail")

with psycopg.connect(address) as connection:
    connection.execute("create table jobs (number int)")

connection = psycopg.connect(address, autocommit=True)
trial("psycopg, autocommit", lambda: connection.execute(QUERY + "%s", [1]).fetchall())
print("  with a blank behind it:", connection.execute(QUERY + "%s ", [1]).fetchall())

unprepared = psycopg.connect(address, autocommit=True, prepare_threshold=None)
trial("psycopg, not prepared", lambda: unprepared.execute(QUERY + "%s", [1]).fetchall())

other = psycopg.connect(address)
def in_transaction():
    with other.transaction():
        other.execute(QUERY + "%s", [1]).fetchall()
trial("psycopg, transactions", in_transaction)

native = pg8000.native.Connection("me", unix_sock=f"{sys.argv[1]}/.s.PGSQL.5432",
                                  database="postgres")
trial("pg8000", lambda: native.run(QUERY + ":number", number=1))

with asyncio.Runner() as runner:
    connection = runner.run(asyncpg.connect(address))
    trial("asyncpg", lambda: runner.run(connection.fetch(QUERY + "$1", 1)))
END
"$work/env/bin/python" trial.py "$work" | tee seen
cat >expected <<'END'
psycopg, autocommit: 10 of 10 fail
  with a blank behind it: []
psycopg, not prepared: 0 of 10 fail
psycopg, transactions: 1 of 10 fail
pg8000: 0 of 10 fail
asyncpg: 0 of 10 fail
END
diff seen expected
