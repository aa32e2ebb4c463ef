#!/bin/sh
# setproctitle 1.3.8 with psutil 7.2.2 (PyPI), Python 3.11.
# Behaviour: a title is written where the kernel finds the arguments and the environment of the process. After
#   `setproctitle("idle")`, `/proc/PID/environ` is nothing but zeros, `ps e` shows no variable, and psutil returns an
#   empty dict. The process and what it starts still have all of them, as Python keeps its own copy. With
#   SPT_NOENV=1 the environment stays, and the title has only the room of the arguments.
# Expected: a title changes the title. That `environ` is what the process was started with is how it is documented.
# Who meets it: whoever finds the processes of a job by a variable in their environment, as CI servers do that clean
#   up behind a build: workers of gunicorn, Celery and others that set titles when the package is installed
#   are not found, and stay.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q setproctitle==1.3.8 psutil==7.2.2
cd "$work"
cat >trial.py <<'END'
import os, subprocess, sys, psutil, setproctitle

def lines(path):
    return [line for line in open(path, "rb").read().split(b"\0") if line]

def show(label):
    found = [line for line in lines("/proc/self/environ") if line == b"BUILD=17"]
    child = subprocess.run(["sh", "-c", "echo $BUILD"], capture_output=True, text=True).stdout.strip()
    print(f"{label}: environ {'has BUILD' if found else lines('/proc/self/environ')},"
          f" psutil {psutil.Process().environ().get('BUILD')}, os.environ {os.environ['BUILD']}, child {child},"
          f" title {lines('/proc/self/cmdline')[-1].decode()}")

show("before")
setproctitle.setproctitle("idle")
show("after")
END
{
  BUILD=17 env/bin/python trial.py
  echo "with SPT_NOENV:"
  SPT_NOENV=1 BUILD=17 env/bin/python trial.py
} | tee seen
cat >expected <<'END'
before: environ has BUILD, psutil 17, os.environ 17, child 17, title trial.py
after: environ [], psutil None, os.environ 17, child 17, title idle
with SPT_NOENV:
before: environ has BUILD, psutil 17, os.environ 17, child 17, title trial.py
after: environ has BUILD, psutil 17, os.environ 17, child 17, title idle
END
diff seen expected
