#!/bin/sh
# go-task 3.54.0 beside doit 0.37.0 (PyPI go-task-bin).
# Behaviour: for `generates` with a pattern one file that fits is enough: when others that the task had
#   written are deleted, it is up to date. Also when the only match is a file that somebody else wrote.
#   With the names written out, as doit has them, a missing one executes the task.
# Expected: the outputs of the last execution are known, and a missing one is noticed.
# Who meets it: generated code and bundles in a folder, `generates: [dist/*.js]`: a file that is lost in
#   a merge, a clean-up or a cache with a limit does not come back, and the error is elsewhere.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q go-task-bin==3.54.0 doit==0.37.0
cd "$work"
mkdir out
echo input >source
cat >Taskfile.yml <<'END'
version: '3'
tasks:
  pattern:
    sources: [source]
    generates: [out/*.txt]
    cmds: [cp source out/a.txt; cp source out/b.txt]
  names:
    sources: [source]
    generates: [out/a.txt, out/b.txt]
    cmds: [cp source out/a.txt; cp source out/b.txt]
END
cat >dodo.py <<'END'
def task_names():
    return {"actions": ["cp source out/a.txt; cp source out/b.txt"], "file_dep": ["source"],
            "targets": ["out/a.txt", "out/b.txt"]}
END
trial() {
  rm -f out/*
  "$work/env/bin/$@" >/dev/null 2>&1
  rm out/b.txt
  "$work/env/bin/$@" >/dev/null 2>&1
  one=$(cd out && echo *)
  rm out/*
  : >out/other.txt
  "$work/env/bin/$@" >/dev/null 2>&1
  echo "$*: one deleted, then $one; all replaced by another, then $(cd out && echo *)"
}
{
  trial task pattern
  trial task names
  trial doit names
} | tee seen
cat >expected <<'END'
task pattern: one deleted, then a.txt; all replaced by another, then other.txt
task names: one deleted, then a.txt b.txt; all replaced by another, then a.txt b.txt other.txt
doit names: one deleted, then a.txt b.txt; all replaced by another, then a.txt b.txt other.txt
END
diff seen expected
