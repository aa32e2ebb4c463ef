#!/bin/sh
# pexpect 4.9.0 (PyPI), Python 3.11.
# Behaviour: pexpect waits with select(), which knows descriptors up to 1023. In a process that has as many
#   open, each `expect` and `run` starts the child and then raises ValueError, "filedescriptor out of
#   range in select()", whatever `ulimit -n` allows. `use_poll=True` works.
# Expected: poll, as subprocess, selectors and asyncio have had it for years.
# Who meets it: servers and runners with many sockets, logs or watches that drive a program through a
#   terminal now and then: it works in tests and for a small number of clients. The child may have
#   done part of its work by then, which whoever retries does again.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q pexpect==4.9.0
cd "$work"
cat >trial.py <<'END'
import os, resource, subprocess, pexpect

_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (2000, hard))

def trial(label, act):
    try:
        outcome = repr(act())
    except Exception as error:
        outcome = f"{type(error).__name__}: {error}"
    print(f"  {label}: {outcome}")

def expect(**options):
    child = pexpect.spawn("echo ready", encoding="utf-8", **options)
    child.expect("ready")
    child.expect(pexpect.EOF)
    return child.match_index

def trials(label):
    print(label)
    trial("subprocess", lambda: subprocess.run(["echo", "ready"], capture_output=True).stdout)
    trial("expect", expect)
    trial("expect, use_poll", lambda: expect(use_poll=True))
    trial("run", lambda: pexpect.run("echo ready"))

trials("few files")
files = [open(os.devnull) for _ in range(1100)]
trials("1100 files")
END
"$work/env/bin/python" trial.py | tee seen
cat >expected <<'END'
few files
  subprocess: b'ready\n'
  expect: 0
  expect, use_poll: 0
  run: b'ready\r\n'
1100 files
  subprocess: b'ready\n'
  expect: ValueError: filedescriptor out of range in select()
  expect, use_poll: 0
  run: ValueError: filedescriptor out of range in select()
END
diff seen expected
