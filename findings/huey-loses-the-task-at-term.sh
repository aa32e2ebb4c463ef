#!/bin/sh
# huey 3.5.4 (PyPI), its consumer with SqliteHuey.
# Behaviour: a task leaves the queue before it executes. TERM ends the consumer in its midst: the task
#   is neither finished nor queued nor scheduled, `retries=3` does not apply, and the
#   consumer exits with 0.
# Expected: TERM finishes what runs, or puts it back; a queue in a file survives its consumer.
# Who meets it: consumers in containers and under supervisors, which stop with TERM: each deployment
#   loses the tasks that run then. (INT finishes them.)
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q huey==3.5.4
cd "$work"
cat >jobs.py <<'END'
import pathlib, time
from huey import SqliteHuey

huey = SqliteHuey(filename="queue.db")

@huey.task(retries=3)
def work():
    pathlib.Path("begun").touch()
    time.sleep(2)
    pathlib.Path("finished").touch()
END
cat >queued.py <<'END'
from jobs import huey
print("queued", huey.pending_count(), "scheduled", huey.scheduled_count())
END
for signal in INT TERM; do
  rm -f begun finished queue.db*
  "$work/env/bin/python" -c "import jobs; jobs.work()"
  # A shell starts what is in the background with INT ignored.
  "$work/env/bin/python" -c "import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler); os.execv(sys.argv[1], sys.argv[1:])" \
    "$work/env/bin/huey_consumer" jobs.huey >log 2>&1 &
  consumer=$!
  while [ ! -e begun ]; do sleep 0.1; done
  kill "-$signal" $consumer
  status=0
  wait $consumer || status=$?
  echo "$signal: status $status, $([ -e finished ] && echo finished || echo unfinished)," \
    "$("$work/env/bin/python" queued.py)"
done | tee seen
cat >expected <<'END'
INT: status 0, finished, queued 0 scheduled 0
TERM: status 0, unfinished, queued 0 scheduled 0
END
diff seen expected
