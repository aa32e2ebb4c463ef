#!/bin/sh
# go-task 3.54.0 (PyPI go-task-bin).
# Behaviour: in `task --list-all --json` the field `name` of a task with a `label` is the label, which
#   `task` does not execute; the name is in the field `task`. Several tasks can have one label.
# Expected: `name` is what can be executed, as for tasks without a label.
# Who meets it: editors, completions and runners that offer the names of the list.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q go-task-bin==3.54.0
cd "$work"
cat >Taskfile.yml <<'END'
version: '3'
tasks:
  build:
    label: build-for-release
    cmds: ["echo built"]
END
task=$work/env/bin/task
"$task" --list-all --json --no-status | python3 -c '
import json, sys
for task in json.load(sys.stdin)["tasks"]: print("name", task["name"], "task", task["task"])' >seen
"$task" --silent build-for-release >/dev/null 2>&1 || echo "the name is refused" >>seen
"$task" --silent build >>seen
cat seen
printf '%s\n' 'name build-for-release task build' 'the name is refused' built | diff seen -
