#!/bin/sh
# go-task 3.54.0 (PyPI go-task-bin).
# Behaviour: the checksum of `sources` has the contents and the last parts of the names. A file that
#   moves to another folder of the same pattern changes nothing: "Task is up to date", with `generates`
#   that still name the old place. A new name in the same folder is noticed.
# Expected: which files a pattern has found is part of the sources, as a path.
# Who meets it: lists, archives, indexes and bundles of a tree, and code whose folder is its package:
#   after a refactoring that only moves files the build of CI is right and the local one is old.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q go-task-bin==3.54.0
cd "$work"
cat >Taskfile.yml <<'END'
version: '3'
tasks:
  list:
    sources: ['src/**/*.txt']
    generates: [list]
    cmds: ['find src -type f | sort >list']
END
mkdir -p src/a src/b
echo text >src/a/one.txt
list() {
  "$work/env/bin/task" list 2>/dev/null
  echo "$1: list $(cat list), is at $(find src -type f)"
}
{
  list first
  mv src/a/one.txt src/b/one.txt
  list moved
  mv src/b/one.txt src/b/two.txt
  list renamed
} | tee seen
cat >expected <<'END'
first: list src/a/one.txt, is at src/a/one.txt
moved: list src/a/one.txt, is at src/b/one.txt
renamed: list src/b/two.txt, is at src/b/two.txt
END
diff seen expected
