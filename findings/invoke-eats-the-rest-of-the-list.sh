#!/bin/sh
# invoke 3.0.3 beside poethepoet 0.49.0, just 1.59.0 and go-task 3.54.0 (PyPI; rust-just, go-task-bin).
# Behaviour: `run` of invoke reads its own standard input for the command, whether the command reads or
#   not, and what it has read is gone. In a `while read` loop the first task takes the rest of the list,
#   and the loop ends after one turn with status 0. The others leave standard input to their commands.
# Expected: a task whose command reads nothing leaves the input alone, as one typed in its place would.
# Who meets it: loops in shells over hosts, files or versions with `invoke` in them, as with ssh, which
#   has -n for it: all but the first are left out. `in_stream=False` or `</dev/null` mends it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q invoke==3.0.3 poethepoet==0.49.0 rust-just==1.59.0 go-task-bin==3.54.0
cd "$work"
cat >tasks.py <<'END'
from invoke import task

@task
def deploy(context):
    context.run("true")

@task
def deploy_alone(context):
    context.run("true", in_stream=False)
END
printf '[project]\nname = "project"\n[tool.poe.tasks]\ndeploy = "true"\n' >pyproject.toml
printf "version: '3'\ntasks:\n  deploy: \"true\"\n" >Taskfile.yml
printf 'deploy:\n    true\n' >justfile
printf 'one\ntwo\nthree\n' >hosts
trial() {
  echo "$*:" $(while read -r host; do
    "$work/env/bin/$@" >/dev/null 2>&1 || echo failed
    echo "$host"
  done <hosts)
}
{
  trial invoke deploy
  trial invoke deploy-alone
  trial poe deploy
  trial task deploy
  trial just deploy
} | tee seen
cat >expected <<'END'
invoke deploy: one
invoke deploy-alone: one two three
poe deploy: one two three
task deploy: one two three
just deploy: one two three
END
diff seen expected
