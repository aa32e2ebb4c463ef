#!/bin/sh
# dbos 3.4.0 (PyPI), with SQLite.
# Behaviour: a workflow that was cut off is resumed at the next start if the application has the same version, and
#   this is a digest of the text of all workflows and the number of dbos. A changed comment in another
#   workflow, or an update of the library, and it stays PENDING; the log says "No workflows to recover", and
#   that the latest version is another one. What the steps do is no part of it: with another step the workflow is
#   resumed and goes on with the new one. With `application_version` in the configuration it is resumed each time.
# Expected: what was begun is finished, as the purpose of the library is, or a start says what it leaves.
# Who meets it: deployments: the process is replaced while workflows run, and it is the new text that starts.
#   Payments and imports stop half-way and wait for a version that never comes back; in trials, where one kills
#   the process and starts it again, all is resumed.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q dbos==3.4.0
cd "$work"
cat >app.py <<'END'
import os, signal, sys, time
from dbos import DBOS

config = {"name": "trial", "system_database_url": "sqlite:///state.sqlite", "run_admin_server": False}
if "fixed" in sys.argv:
    config["application_version"] = "1"
DBOS(config=config)

@DBOS.step()
def step(number):
    print("step", number, file=open("log", "a"))
    if number == 2 and "die" in sys.argv:
        os.kill(os.getpid(), signal.SIGKILL)

@DBOS.workflow()
def three_steps():
    for number in 1, 2, 3:
        step(number)

@DBOS.workflow()
def another():
    # A remark.
    pass

DBOS.launch()
if "die" in sys.argv:
    three_steps()
# Recovery begins at the start; gives it ten seconds.
for _ in range(100):
    [workflow] = DBOS.list_workflows()
    if workflow.status == "SUCCESS":
        break
    time.sleep(0.1)
print(workflow.status)
DBOS.destroy()
END
cp app.py original.py
trial() { # label, edit, arguments
  rm -f state.sqlite* log
  cp original.py app.py
  env/bin/python app.py die ${3:-} >/dev/null 2>&1 || true
  sed -i "$2" app.py
  status=$(timeout 60 env/bin/python app.py resume ${3:-} 2>output)
  echo "$1: $status," $(cat log)
  grep -o 'No workflows to recover\|Recovering [0-9]* workflows' output | sed 's/^/  /' || true
}
{
  trial "the same text" ""
  trial "another step" 's/print("step"/print("new step"/'
  trial "another comment" 's/# A remark./# A better remark./'
  trial "another comment, application_version" 's/# A remark./# A better remark./' fixed
} | tee seen
cat >expected <<'END'
the same text: SUCCESS, step 1 step 2 step 2 step 3
  Recovering 1 workflows
another step: SUCCESS, step 1 step 2 new step 2 new step 3
  Recovering 1 workflows
another comment: PENDING, step 1 step 2
  No workflows to recover
another comment, application_version: SUCCESS, step 1 step 2 step 2 step 3
  Recovering 1 workflows
END
diff seen expected
