#!/bin/sh
# uvloop 0.23.0 (PyPI), with its own libuv, beside asyncio of Python 3.11.
# Behaviour: a process that uvloop starts has no signal ignored: libuv sets all to their defaults. The
#   HUP that `nohup` ignores for a server ends the commands that the server starts, and INT reaches
#   those of a server that a shell started in the background. asyncio passes both on.
# Expected: ignored signals are inherited, as POSIX says of `exec`; uvloop is only faster.
# Who meets it: services and agents started with `nohup ... &` that execute long commands: the session
#   closes, the service lives on, its backup dies. Without uvloop installed it does not.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q uvloop==0.23.0
cd "$work"
cat >start.py <<'END'
import asyncio, sys, uvloop

async def main():
    ignored = ["grep", "SigIgn", "/proc/self/status"]
    process = await asyncio.create_subprocess_exec(*ignored, stdout=asyncio.subprocess.PIPE)
    bits = int((await process.communicate())[0].split()[1], 16)
    process = await asyncio.create_subprocess_exec("sh", "-c", "kill -HUP $$; echo survived",
                                                   stdout=asyncio.subprocess.PIPE)
    said = (await process.communicate())[0].decode().strip()
    print(f"{sys.argv[1]}: HUP ignored {bool(bits & 1)}, INT ignored {bool(bits & 2)};",
          f"at HUP {said or f'status {process.returncode}'}")

{"asyncio": asyncio.run, "uvloop": uvloop.run}[sys.argv[1]](main())
END
for loop in asyncio uvloop; do
  (trap '' HUP INT; exec "$work/env/bin/python" start.py $loop)
done | tee seen
cat >expected <<'END'
asyncio: HUP ignored True, INT ignored True; at HUP survived
uvloop: HUP ignored False, INT ignored False; at HUP status -1
END
diff seen expected
