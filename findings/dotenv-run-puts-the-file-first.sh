#!/bin/sh
# python-dotenv 1.2.4, honcho 2.0.0, poethepoet 0.49.0, uv 0.13.9, pdm 2.29.4, go-task 3.54.0,
#   just 1.59.0 (PyPI; go-task-bin and rust-just).
# Behaviour: where the environment and `.env` have the same variable, python-dotenv's `load_dotenv()`
#   keeps that of the environment and its own program `dotenv run` that of the file. honcho and poe
#   side with the program; uv, pdm, task and just with the library.
# Expected: one package has one answer, and a file of defaults yields to what is set for this run.
# Who meets it: containers, CI jobs and one-off runs, `DATABASE=trial dotenv run -- migrate`, beside a
#   `.env` in the folder: the command works on the database of the file. A project that moves from
#   `load_dotenv()` to `dotenv run`, or from just to poe, changes sides without a message.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q 'python-dotenv[cli]==1.2.4' honcho==2.0.0 poethepoet==0.49.0 uv==0.13.9 \
  pdm==2.29.4 go-task-bin==3.54.0 rust-just==1.59.0
mkdir "$work/project"
cd "$work/project"
export HOME="$work" PATH="$work/env/bin:$PATH"
echo DATABASE=file >.env
cat >show <<'END'
#!/bin/sh
echo "database $DATABASE"
END
chmod +x show
cat >library.py <<'END'
import os, dotenv
dotenv.load_dotenv()
print("database", os.environ["DATABASE"])
END
cat >pyproject.toml <<'END'
[project]
name = "project"
version = "1"
[tool.poe.tasks]
show = { cmd = "./show", envfile = ".env" }
[tool.pdm.scripts]
show = { cmd = "./show", env_file = ".env" }
END
cat >Taskfile.yml <<'END'
version: '3'
dotenv: ['.env']
tasks:
  show: ./show
END
printf 'set dotenv-load\nshow:\n    ./show\n' >justfile
trial() { echo "$*: $(DATABASE=environment "$@" 2>/dev/null </dev/null | grep '^database')"; }
{
  trial python library.py
  trial dotenv run ./show
  trial honcho run ./show
  trial poe show
  trial uv run --no-project --env-file .env ./show
  trial pdm run show
  trial task show
  trial just show
} | tee seen
cat >expected <<'END'
python library.py: database environment
dotenv run ./show: database file
honcho run ./show: database file
poe show: database file
uv run --no-project --env-file .env ./show: database environment
pdm run show: database environment
task show: database environment
just show: database environment
END
diff seen expected
