#!/bin/sh
# go-task 3.54.0 and doit 0.37.0 beside just 1.59.0 with [cache] and ninja 1.13.2 (PyPI go-task-bin,
#   rust-just).
# Behaviour: what a step does is no part of what task and doit record: with a changed command, or
#   another value of a variable in it, both say that the step is up to date. just and ninja execute it.
# Expected: a tool that takes digests of inputs, where make compares times, takes one of the command
#   as well.
# Who meets it: `task build MODE=release` behind `MODE=debug`: the artefact is that of the debug build.
#   A fixed command reaches CI, which starts empty, and not the folders of those who built before.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q go-task-bin==3.54.0 doit==0.37.0 rust-just==1.59.0 ninja==1.13.2
cd "$work"
echo input >source
write() { # the line of each tool for a mode
  cat >Taskfile.yml <<END
version: '3'
vars: {MODE: '{{.MODE | default "$1"}}'}
tasks:
  build:
    sources: [source]
    generates: [by-task]
    cmds: ["echo {{.MODE}} \$(cat source) >by-task"]
END
  cat >dodo.py <<END
def task_build():
    return {"actions": ["echo $1 \$(cat source) >by-doit"], "file_dep": ["source"],
            "targets": ["by-doit"]}
END
  cat >justfile <<END
set unstable
[cache(inputs="source", outputs="by-just")]
[script("sh")]
build:
    echo $1 \$(cat source) >by-just
END
  cat >build.ninja <<END
rule write
  command = echo $1 \$\$(cat \$in) >\$out
build by-ninja: write source
END
}
build() { # what each has written then
  for tool in "task build" "doit build" "just build" ninja; do
    "$work/env/bin/"$tool >/dev/null 2>&1
  done
  echo "$1: task $(cat by-task), doit $(cat by-doit), just $(cat by-just), ninja $(cat by-ninja)"
}
{
  write debug
  build "first"
  write release
  build "another command"
  "$work/env/bin/task" build MODE=trial >/dev/null 2>&1
  echo "another variable: task $(cat by-task)"
} | tee seen
cat >expected <<'END'
first: task debug input, doit debug input, just debug input, ninja debug input
another command: task debug input, doit debug input, just release input, ninja release input
another variable: task debug input
END
diff seen expected
