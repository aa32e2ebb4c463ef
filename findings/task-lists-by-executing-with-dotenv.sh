#!/bin/sh
# go-task 3.54.0 (PyPI go-task-bin).
# Behaviour: `task --list-all --json --no-status` executes the `sh:` of global variables, also those of
#   included files, if the Taskfile has `dotenv`; without that key it executes none.
# Expected: a list that leaves out the status starts nothing, whatever files of variables there are.
# Who meets it: editors, completion and runners that list the tasks of a folder on opening it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q go-task-bin==3.54.0
cd "$work"
cat >part.yml <<'END'
version: '3'
vars:
  PART: {sh: "echo included >>log; echo 1"}
tasks:
  test: {cmds: ["true"]}
END
cat >with.yml <<'END'
version: '3'
dotenv: [.env]
includes: {part: part.yml}
vars:
  REVISION: {sh: "echo global >>log; echo 1"}
tasks:
  build: {cmds: ["true"]}
END
sed '/^dotenv/d' with.yml >without.yml
for file in with without; do
  : >log
  "$work/env/bin/task" --taskfile $file.yml --list-all --json --no-status >/dev/null
  echo "$file dotenv the list executed: $(sort -u log | tr '\n' ' ')"
done | tee seen
printf '%s\n' 'with dotenv the list executed: global included ' 'without dotenv the list executed: ' |
  diff seen -
