#!/bin/sh
# hatch 1.18.2, poethepoet 0.49.0, tox 4.67.15, nox 2026.10.20, invoke 3.0.3, go-task 3.54.0 beside
#   pdm 2.29.4, just 1.59.0, doit 0.37.0 (PyPI; go-task-bin and rust-just).
# Behaviour: an argument behind the name of a script that does not ask for one is dropped without a
#   word by hatch and by sequences and shell tasks of poe, and behind `--` by tox, nox, invoke and task:
#   the command executes without it, with status 0. pdm and the plain tasks of poe append it; just and
#   doit refuse it.
# Expected: the argument reaches the command, as with `npm run`, or is an error.
# Who meets it: who adds `--check`, `--dry-run` or `-k name` to a script that somebody else defined:
#   files are changed, everything is tested, and the log says that it worked. A poe task that grows
#   from one command to two changes from the one behaviour to the other.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q hatch==1.18.2 poethepoet==0.49.0 tox==4.67.15 nox==2026.10.20 \
  invoke==3.0.3 go-task-bin==3.54.0 pdm==2.29.4 rust-just==1.59.0 doit==0.37.0
mkdir "$work/project"
cd "$work/project"
export HOME="$work" PATH="$work/env/bin:$PATH"
cat >format <<'END'
#!/bin/sh
[ "$*" = --check ] && echo "checks" || echo "changes files"
END
chmod +x format
cat >pyproject.toml <<'END'
[project]
name = "project"
version = "1"
[tool.poe.tasks]
format = "./format"
through_shell.shell = "./format"
both = ["format"]
[tool.pdm.scripts]
format = "./format"
[tool.hatch.envs.default]
detached = true
skip-install = true
[tool.hatch.envs.default.scripts]
format = "./format"
END
cat >tox.ini <<'END'
[testenv:format]
skip_install = true
allowlist_externals = ./format
commands = ./format
END
cat >noxfile.py <<'END'
import nox

@nox.session(venv_backend="none")
def format(session):
    session.run("./format", external=True)
END
cat >tasks.py <<'END'
from invoke import task

@task
def format(context):
    context.run("./format")
END
cat >dodo.py <<'END'
def task_format():
    return {"actions": ["./format"], "verbosity": 2}
END
cat >Taskfile.yml <<'END'
version: '3'
tasks:
  format: ./format
END
printf 'format:\n    ./format\n' >justfile
trial() {
  said=$("$@" --check 2>&1 </dev/null) && status=0 || status=$?
  echo "$*: $(echo "$said" | grep -xE 'checks|changes files' || echo nothing), status $status"
}
{
  trial hatch run format
  trial poe format
  trial poe through_shell
  trial poe both
  trial tox -e format --
  trial nox -s format --
  trial invoke format --
  trial task format --
  trial pdm run format
  trial just format
  trial doit format
} | tee seen
cat >expected <<'END'
hatch run format: changes files, status 0
poe format: checks, status 0
poe through_shell: changes files, status 0
poe both: changes files, status 0
tox -e format --: changes files, status 0
nox -s format --: changes files, status 0
invoke format --: changes files, status 0
task format --: changes files, status 0
pdm run format: checks, status 0
just format: nothing, status 1
doit format: nothing, status 3
END
diff seen expected
