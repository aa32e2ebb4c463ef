#!/bin/sh
# pytest 9.2.0 with pytest-rerunfailures 16.7, junitparser 5.0.3 (PyPI).
# Behaviour: with `--reruns` the JUnit file has one <testcase> for each try, all of one name, and a try
#   that failed and was repeated is an empty one, which means passed. The message is nowhere, and the
#   attributes count the test once. A test that fails for good is so many passed ones and one failed.
# Expected: one element with the last result, or the failed tries as <rerunFailure> or <flakyFailure>,
#   which Maven's plugin has for it.
# Who meets it: dashboards of flaky tests, which find none: the only trace is a name that occurs twice.
#   Who counts elements, as `update_statistics` of junitparser does, gets more tests than were executed
#   and a rate of success that rises with the number of tries.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q pytest==9.2.0 pytest-rerunfailures==16.7 junitparser==5.0.3
cd "$work"
cat >test_trial.py <<'END'
tries = 0

def test_flaky():
    global tries
    tries += 1
    assert tries > 2

def test_broken():
    assert False

def test_sound():
    pass
END
"$work/env/bin/pytest" -q --reruns 2 --junitxml=report.xml >log 2>&1 || true
cat >read.py <<'END'
import junitparser

report = junitparser.JUnitXml.fromfile("report.xml")
for suite in report:
    print(f"attributes: tests {suite.tests}, failures {suite.failures}, skipped {suite.skipped}")
    for case in suite:
        print(f"{case.name}: {'passed' if case.is_passed else 'failed'}, {len(list(case))} children")
    suite.update_statistics()
    print(f"counted: tests {suite.tests}, failures {suite.failures}, skipped {suite.skipped}")
END
{
  tail -n1 log | sed 's/ in .*//'
  "$work/env/bin/python" read.py
} | tee seen
cat >expected <<'END'
1 failed, 2 passed, 4 rerun
attributes: tests 3, failures 1, skipped 0
test_flaky: passed, 0 children
test_flaky: passed, 0 children
test_flaky: passed, 0 children
test_broken: passed, 0 children
test_broken: passed, 0 children
test_broken: failed, 1 children
test_sound: passed, 0 children
counted: tests 7, failures 1, skipped 0
END
diff seen expected
