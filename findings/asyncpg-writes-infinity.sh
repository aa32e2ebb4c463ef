#!/bin/sh
# asyncpg 0.32.0 beside psycopg 3.3.9 and pg8000 1.31.6 (PyPI), PostgreSQL 15 (Debian 12, installed).
# Behaviour: asyncpg writes the last date of Python, `date.max`, as `infinity`, the first one as
#   `-infinity`, and likewise the last and first `datetime`; it reads them back as the dates. So the day
#   9999-12-31 that another driver or SQL wrote is not found with `date.max`, two days that Python calls
#   equal are two keys of the table, and differences fail. psycopg and pg8000 write the day; at a stored
#   `infinity` psycopg raises DataError, and pg8000 returns the text.
# Expected: a date that PostgreSQL has is written as itself; only infinity is special.
# Who meets it: tables with "valid until 9999-12-31", the usual end of history tables, which asyncpg and
#   something else write: joins and unique keys miss, `until - since` fails with "cannot subtract infinite
#   dates", and the worker with psycopg cannot read the row that the server with asyncpg wrote.
binaries=/usr/lib/postgresql/15/bin
[ -x $binaries/initdb ] || { echo "postgresql-15 is missing" >&2; exit 1; }
work=$(mktemp -d)
chmod 755 "$work"
server=
trap '[ -z "$server" ] || as $binaries/pg_ctl -D "$work/data" -m immediate stop >/dev/null
  rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q asyncpg==0.32.0 'psycopg[binary]==3.3.9' pg8000==1.31.6
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
import asyncio, datetime, sys, asyncpg, pg8000.native, psycopg

folder = sys.argv[1]
last = datetime.date.max
reader = psycopg.connect(f"postgresql://me@/postgres?host={folder}", autocommit=True)
native = pg8000.native.Connection("me", database="postgres", unix_sock=f"{folder}/.s.PGSQL.5432")
reader.execute("create table terms (writer text, until date)")
reader.execute("insert into terms values ('SQL', '9999-12-31')")
reader.execute("insert into terms values ('psycopg', %s)", [last])
native.run("insert into terms values ('pg8000', :day)", day=last)

async def main():
    connection = await asyncpg.connect(host=folder, user="me", database="postgres")
    await connection.execute("insert into terms values ('asyncpg', $1)", last)
    print("stored:", dict(reader.execute("select writer, until::text from terms").fetchall()))
    rows = await connection.fetch("select writer from terms where until = $1", last)
    print("found by asyncpg:", [row[0] for row in rows])
    rows = await connection.fetch("select distinct until from terms")
    print("distinct for asyncpg:", [str(row[0]) for row in rows])
    moment = datetime.datetime.max
    print("datetime.max:", await connection.fetchval("select $1::timestamp::text", moment))
    moment -= datetime.timedelta(seconds=1)
    print("a second earlier:", await connection.fetchval("select $1::timestamp::text", moment))
    try:
        await connection.fetch("select until - date '2026-01-01' from terms where writer = 'asyncpg'")
    except asyncpg.PostgresError as error:
        print("difference:", error)
    await connection.close()

asyncio.run(main())
rows = reader.execute("select writer from terms where until = %s", [last])
print("found by psycopg:", [row[0] for row in rows])
print("read by pg8000:", native.run("select until from terms where writer = 'asyncpg'"))
try:
    reader.execute("select until from terms where writer = 'asyncpg'").fetchone()
except psycopg.DataError as error:
    print("read by psycopg:", error)
END
"$work/env/bin/python" trial.py "$work" | tee seen
cat >expected <<'END'
stored: {'SQL': '9999-12-31', 'psycopg': '9999-12-31', 'pg8000': '9999-12-31', 'asyncpg': 'infinity'}
found by asyncpg: ['asyncpg']
distinct for asyncpg: ['9999-12-31', '9999-12-31']
datetime.max: infinity
a second earlier: 9999-12-31 23:59:58.999999
difference: cannot subtract infinite dates
found by psycopg: ['SQL', 'psycopg', 'pg8000']
read by pg8000: [['infinity']]
read by psycopg: date too large (after year 10K): 'infinity'
END
diff seen expected
