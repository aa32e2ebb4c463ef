#!/bin/sh
# aiosqlite 0.22.1 beside the asynchronous connection of apsw 3.54.1.0 (PyPI), Python 3.11.
# Behaviour: a time-out or a cancellation of `await connection.execute(...)` ends the waiting and nothing else. The
#   statement stays in the queue of the connection's thread and is executed when its turn comes. Behind another
#   process that holds the lock, an INSERT that was tried three times, each with `asyncio.timeout`, raises
#   TimeoutError three times, and inserts three rows once the lock is free. A cancelled `commit()` commits. apsw drops
#   the statements that had not begun, and executes the first one, which waits for the lock.
# Expected: what was cancelled is withdrawn, or interrupted if it runs; a connection has `interrupt()` for that.
# Who meets it: services whose requests have a time limit, or whose clients disconnect, and queues in SQLite: the caller
#   gets an error and tries again, and the job is there several times. A transaction that timed out at its COMMIT
#   and was reported as failed is in the database.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q aiosqlite==0.22.1 apsw==3.54.1.0
cd "$work"
cat >hold.py <<'END'
import sqlite3, sys

connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("begin immediate")
print("held", flush=True)
sys.stdin.read()
connection.execute("commit")
END
cat >cancel.py <<'END'
import asyncio, subprocess, sys
import aiosqlite, apsw

class Lock:
    """Another process that holds the lock of the database."""
    def __init__(self, path):
        self.process = subprocess.Popen([sys.executable, "hold.py", path], stdin=-1, stdout=-1)
        self.process.stdout.readline()
    def release(self):
        self.process.communicate()

async def attempt(call):
    try:
        async with asyncio.timeout(0.3):
            await call()
        return "done"
    except TimeoutError:
        return "TimeoutError"

async def with_aiosqlite():
    connection = await aiosqlite.connect("first.db", isolation_level=None, timeout=60)
    await connection.execute("create table job (name text)")
    lock = Lock("first.db")
    tries = [await attempt(lambda: connection.execute("insert into job values ('mail')")) for _ in range(3)]
    lock.release()
    # This one waits for those before it in the queue of the thread.
    cursor = await connection.execute("select count(*) from job")
    print("aiosqlite, insert:", *tries, "rows:", (await cursor.fetchone())[0])
    await connection.close()

async def commit_with_aiosqlite():
    connection = await aiosqlite.connect("second.db", isolation_level=None, timeout=60)
    await connection.execute("create table job (name text)")
    await connection.execute("begin")
    await connection.execute("insert into job values ('mail')")
    # Somebody who reads keeps the COMMIT waiting.
    reader = subprocess.Popen([sys.executable, "-c", """if True:
        import sqlite3, sys
        connection = sqlite3.connect("second.db", isolation_level=None)
        connection.execute("begin")
        connection.execute("select * from job").fetchall()
        print("held", flush=True)
        sys.stdin.read()
        connection.execute("commit")
        """], stdin=-1, stdout=-1)
    reader.stdout.readline()
    tried = await attempt(connection.commit)
    reader.communicate()
    cursor = await connection.execute("select count(*) from job")
    await cursor.fetchone()
    print("aiosqlite, commit:", tried, "in transaction:", connection.in_transaction)
    await connection.close()

async def with_apsw():
    connection = await apsw.Connection.as_async("third.db")
    await connection.set_busy_timeout(60000)
    await connection.execute("create table job (name text)")
    lock = Lock("third.db")
    tries = [await attempt(lambda: connection.execute("insert into job values ('mail')")) for _ in range(3)]
    lock.release()
    rows = await connection.execute("select count(*) from job")
    async for row in rows:
        print("apsw, insert:", *tries, "rows:", row[0])
    await connection.aclose()

for function in with_aiosqlite, commit_with_aiosqlite, with_apsw:
    asyncio.run(function())
END
env/bin/python cancel.py | tee seen
cat >expected <<'END'
aiosqlite, insert: TimeoutError TimeoutError TimeoutError rows: 3
aiosqlite, commit: TimeoutError in transaction: False
apsw, insert: TimeoutError TimeoutError TimeoutError rows: 1
END
diff seen expected
