#!/bin/sh
# persist-queue 1.1.0 (PyPI), Python 3.11.
# Behaviour: whoever opens a `SQLiteAckQueue` puts all items back that were taken and not yet acknowledged, also those
#   that another process is working on. A second worker that starts gets the first one's job, and so does each later
#   one. Each of them acknowledges it without an error. With `auto_resume=False` nobody puts anything back: the items
#   of a worker that was killed stay taken, and `size` does not count them.
# Expected: an item comes back when its worker has gone, or after a time; opening a queue takes nothing from others.
# Who meets it: a second worker, a restart of one of several, a deployment that starts the new process before it stops
#   the old one, and a look from a Python prompt: each executes the jobs that run at that moment once more.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q persist-queue==1.1.0
cd "$work"
cat >worker.py <<'END'
import sys, persistqueue

# It obeys each line of its standard input.
queue = persistqueue.SQLiteAckQueue("queue", **eval(sys.argv[1]))
item = None
for line in sys.stdin:
    match line.strip():
        case "get":
            try:
                item = queue.get(block=False)
                print(item, flush=True)
            except persistqueue.Empty:
                print("nothing", flush=True)
        case "ack":
            print("ok" if queue.ack(item) is not None else "unknown", flush=True)
        case "size":
            print(queue.size, flush=True)
END
cat >look.py <<'END'
import shutil, subprocess, sys, persistqueue

class Worker:
    def __init__(self, **settings):
        self.process = subprocess.Popen([sys.executable, "worker.py", repr(settings)], stdin=-1, stdout=-1, text=True)
        # Until it has answered it may still have to open the queue.
        self.do("size")
    def do(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()
    def kill(self):
        self.process.kill()
        self.process.wait()

for settings in {}, {"auto_resume": False}:
    shutil.rmtree("queue", ignore_errors=True)
    queue = persistqueue.SQLiteAckQueue("queue")
    for name in "one", "two", "three":
        queue.put(name)
    del queue
    print(settings)
    first = Worker(**settings)
    print("  first gets", first.do("get"))
    second = Worker(**settings)
    print("  second gets", second.do("get"))
    third = Worker(**settings)
    print("  third gets", third.do("get"))
    print("  first and second acknowledge:", first.do("ack"), second.do("ack"))
    print("  first gets", first.do("get"), "and is killed")
    first.kill()
    print("  second gets", second.do("get"), "then", second.do("get"))
    for worker in second, third:
        worker.kill()
    fourth = Worker(**settings)
    print("  fourth gets", fourth.do("get"), "then", fourth.do("get"), "size", fourth.do("size"))
    fourth.kill()
END
env/bin/python look.py | tee seen
cat >expected <<'END'
{}
  first gets one
  second gets one
  third gets one
  first and second acknowledge: ok ok
  first gets two and is killed
  second gets three then nothing
  fourth gets two then three size 0
{'auto_resume': False}
  first gets one
  second gets two
  third gets three
  first and second acknowledge: ok ok
  first gets nothing and is killed
  second gets nothing then nothing
  fourth gets nothing then nothing size 0
END
diff seen expected
