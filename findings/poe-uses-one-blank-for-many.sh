#!/bin/sh
# poethepoet 0.49.0 beside just 1.59.0 and go-task 3.54.0 (PyPI; rust-just, go-task-bin), dash (Debian 12, installed).
# Behaviour: the output of a task that another one has in its `uses` gets there with each run of blanks, tabs and line
#   feeds replaced by one blank, also within a line, and also if the variable is in quotes: `a  b` is `a b`. A backtick
#   of just and `sh` of task take the line feed at the end and leave the rest, as `"$(...)"` of a shell does.
# Expected: what was written, since poe sets the variable and no shell has split it.
# Who meets it: tasks that pass on a list of files, a change log, YAML or a patch: names with two blanks are not found,
#   a loop over lines has one turn, and YAML becomes another document or none.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q poethepoet==0.49.0 rust-just==1.59.0 go-task-bin==3.54.0
cd "$work"
printf 'a  b\n\tc\n\nd\n' >text
printf '  indented \n' >blank
printf 'host: a\nports:\n  - 80\n' >config.yaml
cat >poe_tasks.toml <<'END'
tasks.read.cmd = "cat ${FILE}"
[tasks.show]
uses = {OUT = "read"}
shell = 'printf "[%s]\n" "$OUT"'
END
cat >justfile <<'END'
export OUT := `cat $FILE`
show:
  @printf '[%s]\n' "$OUT"
END
cat >Taskfile.yml <<'END'
version: '3'
tasks:
  show:
    silent: true
    env: {OUT: {sh: 'cat $FILE'}}
    cmds: ['printf "[%s]\n" "$OUT"']
END
{
  for FILE in text blank config.yaml; do
    export FILE
    for tool in "poe -q" just task; do
      echo "${tool%% *}, $FILE:"
      # shellcheck disable=SC2086
      env/bin/$tool show
    done
  done
} | tee seen
cat >expected <<'END'
poe, text:
[a b c d]
just, text:
[a  b
	c

d]
task, text:
[a  b
	c

d]
poe, blank:
[ indented ]
just, blank:
[  indented ]
task, blank:
[  indented ]
poe, config.yaml:
[host: a ports: - 80]
just, config.yaml:
[host: a
ports:
  - 80]
task, config.yaml:
[host: a
ports:
  - 80]
END
diff seen expected
