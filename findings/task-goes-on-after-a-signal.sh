#!/bin/sh
# go-task 3.54.0 (PyPI go-task-bin).
# Behaviour: a TERM that reaches only task lets the running line finish, then task starts the next
#   line of the same recipe and exits with 0.
# Expected: the recipe stops, and the status is 143 or at least not 0, as with make and just.
# Who meets it: whoever stops task from a supervisor, a container or a CI agent, which signal one
#   process and not a group; a deployment goes on after it was told to stop, and reports success.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q go-task-bin==3.54.0
cd "$work"
cat >Taskfile.yml <<'END'
version: '3'
tasks:
  release:
    cmds:
      - touch building; sleep 2
      - echo uploaded >uploaded
END
"$work/env/bin/task" release >log 2>&1 &
task=$!
while [ ! -e building ]; do sleep 0.1; done
kill -TERM "$task"
status=0
wait "$task" || status=$?
cat log
echo "status $status, second line executed: $([ -e uploaded ] && echo yes || echo no)"
[ "$status" -eq 0 ] && [ -e uploaded ]
