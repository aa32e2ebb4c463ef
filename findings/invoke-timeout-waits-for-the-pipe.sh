#!/bin/sh
# invoke 3.0.3 (PyPI).
# Behaviour: `run("...", timeout=1)` kills the shell after a second, and only the shell: what the shell
#   has started goes on, and `run` waits for it, since it holds the pipe. CommandTimedOut comes when the
#   command has ended by itself, with all its effects. With pty=True it comes after a second.
# Expected: a command that has timed out is stopped, or at least not waited for.
# Who meets it: tasks with a limit for a server, a download or a test that hangs: a line with one
#   command is stopped, as the shell replaces itself; with `cd x && ...` or a second line it is not.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q invoke==3.0.3
cd "$work"
cat >try.py <<'END'
import os, time
from invoke import CommandTimedOut, run

step = "sleep 4; touch finished"
for name, line, options in (("one command", "sleep 4", {}),
                            ("two commands", f"sh -c '{step}'; true", {}),
                            ("two commands, pty", f"sh -c '{step}'; true", {"pty": True})):
    start = time.monotonic()
    try:
        run(line, timeout=1, hide=True, **options)
    except CommandTimedOut as error:
        seconds = time.monotonic() - start
        print(f"{name}: limit {error.timeout} s, {'in time' if seconds < 3 else 'late'},",
              "finished" if os.path.exists("finished") else "not finished")
    if os.path.exists("finished"):
        os.remove("finished")
END
"$work/env/bin/python" try.py | tee seen
cat >expected <<'END'
one command: limit 1 s, in time, not finished
two commands: limit 1 s, late, finished
two commands, pty: limit 1 s, in time, not finished
END
diff seen expected
