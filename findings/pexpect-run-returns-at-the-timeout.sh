#!/bin/sh
# pexpect 4.9.0 (PyPI).
# Behaviour: `pexpect.run(command, timeout=1)` neither raises nor waits at its time-out: it kills the
#   command and returns what it has written so far, as if that were all. With `withexitstatus=True` the
#   status is None, which `if status:` takes for success. Without a `timeout` this happens after thirty
#   seconds of the whole command. `spawn(...).expect(...)` raises TIMEOUT.
# Expected: an exception, as `subprocess.run` and pexpect's own `expect` have.
# Who meets it: scripts that run builds, backups and installers through it for the sake of a terminal:
#   on a slow day the command is cut off in its midst, and the script goes on to the next step.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q pexpect==4.9.0
cd "$work"
cat >copy <<'END'
echo "first of two"
sleep "$1"
echo "second of two"
touch complete
END
cat >trial.py <<'END'
import os, pexpect

def trial(label, seconds, **options):
    result = pexpect.run(f"sh copy {seconds}", timeout=2, encoding="utf-8", **options)
    print(f"{label}: {result!r}, complete {os.path.exists('complete')}")
    if os.path.exists("complete"):
        os.remove("complete")

trial("in time", 0)
trial("too late", 60)
trial("in time, with status", 0, withexitstatus=True)
trial("too late, with status", 60, withexitstatus=True)
child = pexpect.spawn("sh copy 60", timeout=2)
try:
    child.expect(pexpect.EOF)
except pexpect.TIMEOUT:
    print("expect: TIMEOUT")
END
"$work/env/bin/python" trial.py | tee seen
cat >expected <<'END'
in time: 'first of two\r\nsecond of two\r\n', complete True
too late: 'first of two\r\n', complete False
in time, with status: ('first of two\r\nsecond of two\r\n', 0), complete True
too late, with status: ('first of two\r\n', None), complete False
expect: TIMEOUT
END
diff seen expected
