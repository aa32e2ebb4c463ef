#!/bin/sh
# go-task 3.54.0 and just 1.59.0 (PyPI go-task-bin and rust-just).
# Behaviour: `task --dry` executes the `sh:` of variables and the lines of `status`; only `cmds` are
#   left out. `just --dry-run` executes neither backticks nor defaults.
# Expected: a dry run starts nothing.
# Who meets it: whoever looks at a stranger's Taskfile with --dry before trusting it, and tools that
#   take a dry run for harmless.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q go-task-bin==3.54.0 rust-just==1.59.0
cd "$work"
cat >Taskfile.yml <<'END'
version: '3'
vars:
  REVISION: {sh: "echo variable >>log; echo 1"}
tasks:
  build:
    status: ["echo status >>log; false"]
    cmds: ["echo {{.REVISION}} >>log"]
END
cat >justfile <<'END'
revision := `echo variable >>log; echo 1`
build target=`echo default >>log; echo app`:
    echo {{revision}} {{target}} >>log
END
for tool in "task --dry build" "just --dry-run build"; do
  : >log
  "$work/env/bin/${tool%% *}" ${tool#* } >/dev/null 2>&1
  echo "$tool executed: $(sort -u log | tr '\n' ' ')"
done | tee seen
printf '%s\n' 'task --dry build executed: status variable ' 'just --dry-run build executed: ' |
  diff seen -
