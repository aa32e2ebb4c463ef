#!/bin/sh
# luigi 3.8.1 (PyPI).
# Behaviour: the program `luigi` exits with 0 when tasks fail, when a required input is missing and when
#   the one that was asked for could not start because of it; a report in the log says so. The statuses are
#   settings of the section [retcode], all 0 unless set. A name of a task that does not exist ends with 1.
# Expected: a status other than 0, as from each program that executes tasks.
# Who meets it: cron, CI and containers that start a pipeline: each night is green. The tasks behind
#   `luigi ... && publish` publish what the night before has left.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q luigi==3.8.1
cd "$work"
cat >steps.py <<'END'
import luigi

class Fails(luigi.Task):
    def output(self):
        return luigi.LocalTarget("result")
    def run(self):
        raise ValueError("no data")

class Needs(luigi.Task):
    def requires(self):
        return Fails()

class Given(luigi.ExternalTask):
    def output(self):
        return luigi.LocalTarget("given")

class NeedsGiven(luigi.Task):
    def requires(self):
        return Given()
END
run() {
  name=$1
  shift
  if PYTHONPATH=. timeout 60 "$@" >log 2>&1; then status=0; else status=$?; fi
  echo "$name: status $status, $(sed -n 's/^This progress looks \(:[()|]\).*/\1/p' log)"
}
{
  for task in Fails Needs NeedsGiven; do
    run $task env/bin/luigi --module steps $task --local-scheduler
  done
  run "Missing" env/bin/luigi --module steps Missing --local-scheduler
  printf '[retcode]\ntask_failed=30\nmissing_data=40\n' >luigi.cfg
  run "Fails, with [retcode]" env/bin/luigi --module steps Fails --local-scheduler
} | tee seen
cat >expected <<'END'
Fails: status 0, :(
Needs: status 0, :(
NeedsGiven: status 0, :|
Missing: status 1, 
Fails, with [retcode]: status 30, :(
END
diff seen expected
