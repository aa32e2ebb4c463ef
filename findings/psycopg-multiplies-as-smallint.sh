#!/bin/sh
# psycopg 3.3.9 (PyPI psycopg[binary]) and PostgreSQL 15 (Debian 12, installed).
# Behaviour: psycopg sends an `int` with the smallest type that has room for its value, `smallint` up to
#   32767. Where the query leaves the type to its parameters this one counts: `select %s * %s` of 200 and
#   300 fails with "smallint out of range", `%s << %s` of 1 and 15 is -32768 without an error, and the
#   recursive query that counts up from `%s` fails at 1 and works at 40000. The same text with the numbers
#   in it, as `ClientCursor` sends it, works each time.
# Expected: `integer`, as PostgreSQL takes a number in a query, or `bigint`; a type that does not depend
#   on the value.
# Who meets it: sizes, limits and durations that are computed in the query, as in
#   `make_interval(secs => %s * %s)`: tests with small numbers pass, and so do those with one large one;
#   two of middling size fail. `%s::int` helps.
binaries=/usr/lib/postgresql/15/bin
[ -x $binaries/initdb ] || { echo "postgresql-15 is missing" >&2; exit 1; }
work=$(mktemp -d)
chmod 755 "$work"
server=
trap '[ -z "$server" ] || as $binaries/pg_ctl -D "$work/data" -m immediate stop >/dev/null
  rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q 'psycopg[binary]==3.3.9'
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
import sys, psycopg

connection = psycopg.connect(f"postgresql://me@/postgres?host={sys.argv[1]}", autocommit=True)

def answer(cursor, query, values):
    try:
        return cursor.execute(query, values).fetchone()[0]
    except psycopg.Error as error:
        return error.diag.message_primary

COUNT = "with recursive n(i) as (select %s union all select i + 1 from n where i < 40003) select max(i)"
COUNT += " from n"
for query, values in [
    ("select %s * %s", [100, 300]), ("select %s * %s", [200, 300]), ("select %s * %s", [200, 40000]),
    ("select make_interval(secs => %s * %s)", [3600, 24]), ("select %s << %s", [1, 15]),
    (COUNT, [40000]), (COUNT, [30000]),
]:
    print(f"{query}, {values}")
    print(f"  Cursor: {answer(psycopg.Cursor(connection), query, values)}")
    print(f"  ClientCursor: {answer(psycopg.ClientCursor(connection), query, values)}")
END
"$work/env/bin/python" trial.py "$work" | tee seen
cat >expected <<'END'
select %s * %s, [100, 300]
  Cursor: 30000
  ClientCursor: 30000
select %s * %s, [200, 300]
  Cursor: smallint out of range
  ClientCursor: 60000
select %s * %s, [200, 40000]
  Cursor: 8000000
  ClientCursor: 8000000
select make_interval(secs => %s * %s), [3600, 24]
  Cursor: smallint out of range
  ClientCursor: 1 day, 0:00:00
select %s << %s, [1, 15]
  Cursor: -32768
  ClientCursor: 32768
with recursive n(i) as (select %s union all select i + 1 from n where i < 40003) select max(i) from n, [40000]
  Cursor: 40003
  ClientCursor: 40003
with recursive n(i) as (select %s union all select i + 1 from n where i < 40003) select max(i) from n, [30000]
  Cursor: recursive query "n" column 1 has type smallint in non-recursive term but type integer overall
  ClientCursor: 40003
END
diff seen expected
