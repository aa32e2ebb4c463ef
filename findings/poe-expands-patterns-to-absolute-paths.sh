#!/bin/sh
# poethepoet 0.49.0 (PyPI), dash (Debian 12, installed).
# Behaviour: a task of poe with `cmd`, the usual kind, expands patterns as a shell does, but to absolute paths, and in
#   the order in which the folder has them: not sorted, and another one in each clone. A pattern without a match
#   stays as it is. A `shell` task has the sorted relative names of sh, of the same text.
# Expected: `*.txt` is replaced by the names that a shell has for it, since the tasks are written as lines of one.
# Who meets it: tasks that archive, hash, list, merge or compile a set of files, `tar cf out.tar *.txt`: paths of the
#   developer's home are in the archive, in the coverage and in the snapshot, and the result differs between
#   two machines; a task that grows from one command to two and becomes a `shell` task is another one.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q poethepoet==0.49.0
mkdir "$work/project"
cd "$work/project"
mkdir sub
# Neither up nor down, and enough of them that no order of a folder is the sorted one by chance.
for name in m c x a t f z k q d s h w b p j y e r g; do touch $name.txt; done
touch sub/one.md
cat >pyproject.toml <<'END'
[tool.poe.tasks]
plain = "echo *.txt"
folder = "echo sub/*.md"
other = {cmd = "echo *.md", cwd = "sub"}
nothing = "echo *.none"
quoted = "echo '*.md'"
shell = {shell = "echo *.txt"}
shell_folder = {shell = "echo sub/*.md"}
END
task() { "$work/env/bin/poe" -q "$1" | sed "s|$work/project|PROJECT|g"; }
order() { tr ' ' '\n' | LC_ALL=C sort -c 2>/dev/null && echo sorted || echo "not sorted"; }
{
  for name in plain shell; do
    echo "$name, *.txt: $(task $name | tr ' ' '\n' | LC_ALL=C sort | sed -n 1p) is the least, $(task $name | order)"
  done
  for name in folder other shell_folder nothing quoted; do
    echo "$name: $(task $name)"
  done
} | tee ../seen
cat >../expected <<'END'
plain, *.txt: PROJECT/a.txt is the least, not sorted
shell, *.txt: a.txt is the least, sorted
folder: PROJECT/sub/one.md
other: PROJECT/sub/one.md
shell_folder: sub/one.md
nothing: *.none
quoted: *.md
END
diff ../seen ../expected
