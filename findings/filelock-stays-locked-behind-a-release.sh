#!/bin/sh
# filelock 4.3.1 beside portalocker 4.4.2 and fasteners 0.20 (PyPI), flock (Debian 12, installed).
# Behaviour: a `FileLock` keeps its state for each thread. `release` in another thread than the one that acquired the
#   lock does nothing and says nothing; `is_locked` is False there. The file stays locked until the process ends, or
#   until the first thread releases it. `thread_local=False` makes it one lock. portalocker, fasteners and
#   `threading.Lock` are released by whoever calls.
# Expected: the lock is released, as it belongs to the process, or an error, as from `threading.RLock`.
# Who meets it: callbacks, executors and `asyncio.to_thread`, which acquire in one thread and release in whichever is
#   free: with one worker it works, with several the lock is sometimes for ever, and the next
#   process waits without a time-out, which is the default.
set -eu
command -v flock >/dev/null || { echo "flock is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q filelock==4.3.1 portalocker==4.4.2 fasteners==0.20
cd "$work"
cat >trial.py <<'END'
import subprocess, threading, fasteners, filelock, portalocker

FLOCK = ["flock", "--nonblock", "--conflict-exit-code=9"]
# Asks for a lock of the kind that fasteners has.
LOCKF = ["python3", "-c", """import fcntl, sys
try: fcntl.lockf(open(sys.argv[1], "a"), fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError: sys.exit(9)"""]

def trial(label, file, lock, probe=FLOCK):
    said = []
    def release():
        try:
            lock.release()
            said.append("no error")
        except Exception as error:
            said.append(type(error).__name__)
    lock.acquire()
    thread = threading.Thread(target=release)
    thread.start()
    thread.join()
    other = subprocess.run([*probe, file] + (["true"] if probe is FLOCK else [])).returncode
    print(f"{label}: {said[0]}, for another process {'locked' if other == 9 else 'free'}")

lock = filelock.FileLock("file1")
trial("filelock", "file1", lock)
print(f"  is_locked in the first thread: {lock.is_locked}")
trial("filelock, thread_local=False", "file2", filelock.FileLock("file2", thread_local=False))
trial("portalocker", "file3", portalocker.Lock("file3"))
trial("fasteners", "file4", fasteners.InterProcessLock("file4"), LOCKF)
END
env/bin/python trial.py | tee seen
cat >expected <<'END'
filelock: no error, for another process locked
  is_locked in the first thread: True
filelock, thread_local=False: no error, for another process free
portalocker: no error, for another process free
fasteners: no error, for another process free
END
diff seen expected
