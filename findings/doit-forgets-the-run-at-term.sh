#!/bin/sh
# doit 0.37.0 (PyPI).
# Behaviour: doit writes what has been done when it ends. TERM ends it at once: the tasks that had
#   finished before are unknown to the next run and are executed again, all of them. INT ends it with
#   the record written.
# Expected: each finished task is on record, as with make, ninja, task and DVC.
# Who meets it: runs that are longer than the limit of a CI job, or stopped with their container: a
#   second try with the same folder starts from the beginning, and never gets further.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q doit==0.37.0
cd "$work"
cat >dodo.py <<'END'
def task_first():
    return {"actions": ["cp in first"], "file_dep": ["in"], "targets": ["first"]}

def task_second():
    return {"actions": ["cp first second"], "file_dep": ["first"], "targets": ["second"]}

def task_third():
    return {"actions": ["[ -e go ] || { echo $$ >begun; exec sleep 5; }; cp second third"],
            "file_dep": ["second"], "targets": ["third"]}
END
echo one >in
for signal in INT TERM; do
  rm -rf .doit* first second third begun go
  # A shell starts what is in the background with INT ignored.
  python3 -c "import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
os.execv(sys.argv[1], sys.argv[1:])" "$work/env/bin/doit" >said 2>&1 &
  while [ ! -s begun ]; do sleep 0.1; done
  kill "-$signal" $!
  status=0
  wait $! || status=$?
  kill "$(cat begun)" 2>/dev/null || true
  touch go
  echo "$signal: status $status, then $("$work/env/bin/doit" | grep '^\. ' | xargs)"
done | tee seen
cat >expected <<'END'
INT: status 130, then . third
TERM: status 143, then . first . second . third
END
diff seen expected
