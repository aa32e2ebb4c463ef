#!/bin/sh
# go-task 3.54.0 beside just 1.59.0, poethepoet 0.49.0 and pdm 2.29.4 (PyPI go-task-bin, rust-just).
# Behaviour: a variable under `env:` of a task, or of the whole Taskfile, is not set where the shell has
#   one of that name: the command gets that of the shell. An exported variable of just, `env` of poe and
#   of pdm are what the command gets, whatever the shell has.
# Expected: what a task states for its own command is set for its command; a default would be written
#   as one, `{{.NAME | default ...}}`.
# Who meets it: tasks that fix what must be fixed, `env: {APP_ENV: test}` or `CGO_ENABLED: 0`: they work
#   for all but those who have exported the name, and there the tests run against production.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q go-task-bin==3.54.0 rust-just==1.59.0 poethepoet==0.49.0 pdm==2.29.4
mkdir "$work/project"
cd "$work/project"
export HOME="$work" PATH="$work/env/bin:$PATH"
cat >show <<'END'
#!/bin/sh
echo "stage $STAGE"
END
chmod +x show
cat >Taskfile.yml <<'END'
version: '3'
tasks:
  show:
    env: {STAGE: test}
    cmds: [./show]
  line: STAGE=test ./show
END
cat >other.yml <<'END'
version: '3'
env: {STAGE: test}
tasks:
  show: ./show
END
printf 'export STAGE := "test"\nshow:\n    ./show\n' >justfile
cat >pyproject.toml <<'END'
[project]
name = "project"
version = "1"
[tool.poe.tasks]
show = { cmd = "./show", env = { STAGE = "test" } }
[tool.pdm.scripts]
show = { cmd = "./show", env = { STAGE = "test" } }
END
trial() {
  echo "$*: $(for stage in "" production; do
    [ -z "$stage" ] || export STAGE="$stage"
    echo "${stage:-nothing} in the shell, $("$@" 2>/dev/null </dev/null | grep '^stage');"
  done | tr '\n' ' ')"
}
{
  trial task show
  trial task -t other.yml show
  trial task line
  trial just show
  trial poe show
  trial pdm run show
} | tee seen
cat >expected <<'END'
task show: nothing in the shell, stage test; production in the shell, stage production; 
task -t other.yml show: nothing in the shell, stage test; production in the shell, stage production; 
task line: nothing in the shell, stage test; production in the shell, stage test; 
just show: nothing in the shell, stage test; production in the shell, stage test; 
poe show: nothing in the shell, stage test; production in the shell, stage test; 
pdm run show: nothing in the shell, stage test; production in the shell, stage test; 
END
diff seen expected
