#!/bin/sh
# anyio 4.16.0 beside trio 0.35.0 (PyPI), Python 3.11.
# Behaviour: a cancellation or a time-out of `anyio.run_process` ends the process with KILL, on both backends: it
#   cannot tidy up, and what it has started goes on. So does a cancellation within `async with await
#   anyio.open_process(...)`. `trio.run_process` sends TERM, and KILL five seconds later.
# Expected: what trio's function of that name does, as for the rest of anyio; TERM first in any case.
# Who meets it: services that execute commands under a time-out: downloads, dumps and package managers are
#   cut off, lock files and temporary folders stay, a shell leaves its children behind, and whoever
#   knows trio looks elsewhere.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q anyio==4.16.0 trio==0.35.0
cd "$work"
cat >child <<'END'
#!/bin/sh
trap 'kill $!; echo "TERM, tidied up" >report; rm lock; exit 1' TERM
touch lock
sleep 30 &
echo $! >pid
wait
END
chmod +x child
cat >trial.py <<'END'
import os, signal
import anyio, trio

def run(label, main):
    for name in "lock", "report", "pid":
        if os.path.exists(name):
            os.remove(name)
    main()
    report = open("report").read().strip() if os.path.exists("report") else "no TERM"
    pid = int(open("pid").read())
    # A sleep whose TERM is on its way is no longer there after a moment.
    for _ in range(20):
        try:
            os.kill(pid, 0)
            state = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0]
            alive = state != "Z"
        except (ProcessLookupError, FileNotFoundError):
            alive = False
        if not alive:
            break
        signal.sigtimedwait([], 0.05)
    if alive:
        os.kill(pid, signal.SIGKILL)
    print(f"{label}: {report}, lock {'left' if os.path.exists('lock') else 'gone'}, "
          f"the command's own child {'goes on' if alive else 'ended'}")

async def started(sleep):
    while not (os.path.exists("pid") and open("pid").read()):
        await sleep(0.02)

async def with_anyio():
    async with anyio.create_task_group() as group:
        group.start_soon(anyio.run_process, ["./child"])
        await started(anyio.sleep)
        group.cancel_scope.cancel()

async def with_anyio_open():
    async def hold():
        async with await anyio.open_process(["./child"]) as process:
            await process.wait()
    async with anyio.create_task_group() as group:
        group.start_soon(hold)
        await started(anyio.sleep)
        group.cancel_scope.cancel()

async def with_trio():
    async with trio.open_nursery() as nursery:
        nursery.start_soon(trio.run_process, ["./child"])
        await started(trio.sleep)
        nursery.cancel_scope.cancel()

run("anyio.run_process on asyncio", lambda: anyio.run(with_anyio))
run("anyio.run_process on trio", lambda: anyio.run(with_anyio, backend="trio"))
run("anyio.open_process on asyncio", lambda: anyio.run(with_anyio_open))
run("trio.run_process", lambda: trio.run(with_trio))
END
timeout 60 env/bin/python trial.py | tee seen
cat >expected <<'END'
anyio.run_process on asyncio: no TERM, lock left, the command's own child goes on
anyio.run_process on trio: no TERM, lock left, the command's own child goes on
anyio.open_process on asyncio: no TERM, lock left, the command's own child goes on
trio.run_process: TERM, tidied up, lock gone, the command's own child ended
END
diff seen expected
