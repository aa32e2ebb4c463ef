#!/bin/sh
# fasteners 0.20 beside filelock 4.3.1 and portalocker 4.4.2 (PyPI), flock (Debian 12, installed).
# Behaviour: `InterProcessLock` of fasteners is a lock of the process (POSIX `lockf`): a second one on the
#   same file in the same process, in another thread as well, is acquired too, and its release lets other
#   processes in while the first says that it is acquired. `flock`, filelock and portalocker, whose locks
#   are of another kind, take the file at any time. These exclude a second one, and each other.
# Expected: who asks for a lock that is held waits, whoever holds it; programs that lock the same file
#   exclude each other.
# Who meets it: libraries of one process that each lock the same file, a server with threads, tests that
#   try out the lock without a second process, and a script with `flock` beside a service with fasteners.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q fasteners==0.20 filelock==4.3.1 portalocker==4.4.2
cd "$work"
cat >trial.py <<'END'
import subprocess, sys, threading
import fasteners, filelock, portalocker

def fastened():
    lock = fasteners.InterProcessLock("file")
    return lock if lock.acquire(blocking=False) else None

def filelocked():
    lock = filelock.FileLock("file")
    try:
        lock.acquire(timeout=0)
        return lock
    except filelock.Timeout:
        pass

def portalocked():
    lock = portalocker.Lock("file", "a", timeout=0)
    try:
        lock.acquire()
        return lock
    except portalocker.LockException:
        pass

kinds = {"fasteners": fastened, "filelock": filelocked, "portalocker": portalocked}
if len(sys.argv) > 1:
    sys.exit(0 if kinds[sys.argv[1]]() else 1)

def took(lock):
    return "taken" if lock else "refused"

def elsewhere(name):
    return took(not subprocess.run([sys.executable, __file__, name]).returncode)

for name, take in kinds.items():
    first = take()
    seconds = []
    thread = threading.Thread(target=lambda: seconds.append(take()))
    thread.start()
    thread.join()
    [second] = seconds
    flock = not subprocess.run(["flock", "-n", "file", "true"]).returncode
    others = ", ".join(f"{other} {elsewhere(other)}" for other in kinds if other != name)
    print(f"{name} held: a second one {took(second)}, another process {elsewhere(name)}, "
          f"flock {took(flock)}, {others}")
    if second:
        second.release()
        print(f"  the second one released: another process {elsewhere(name)}, "
              f"first acquired: {first.acquired}")
    first.release()
END
"$work/env/bin/python" trial.py | tee seen
cat >expected <<'END'
fasteners held: a second one taken, another process refused, flock taken, filelock taken, portalocker taken
  the second one released: another process taken, first acquired: True
filelock held: a second one refused, another process refused, flock refused, fasteners taken, portalocker refused
portalocker held: a second one refused, another process refused, flock refused, fasteners taken, filelock refused
END
diff seen expected
