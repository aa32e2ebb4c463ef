#!/bin/sh
# ctest of CMake 4.4.5 and behave 1.3.3, junitparser 5.0.3 (PyPI cmake, behave, junitparser).
# Behaviour: ctest counts a test as failed whose program is missing, which lacks a required file or whose fixture has
#   failed. In the file of `--output-junit` such a test is <skipped>, like one that asked to be skipped, and `failures`
#   has none of them. A disabled test, which ctest did not execute, is a <testcase> without any child, as one that
#   passed. behave does the same with all scenarios of a feature whose `before_feature` raises, and of the whole run
#   for `before_all`: each is <skipped>, `errors` is 0; for `before_scenario` it is <error>. Both programs end
#   with a status other than 0.
# Expected: <error> or <failure>, since the programs themselves call it a failure, and <skipped> for the disabled one.
# Who meets it: CI that goes by the reports: a test program was not built, or the database does not start, and the page
#   of results shows no failure, only skips, which nobody reads.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q cmake==4.4.5 behave==1.3.3 junitparser==5.0.3
mkdir -p "$work/built" "$work/features/steps"
cd "$work"
cat >CTestTestfile.cmake <<END
add_test(missing-program "$work/built/queue-test")
add_test(missing-file "/bin/true")
set_tests_properties(missing-file PROPERTIES REQUIRED_FILES "$work/built/jobs.db")
add_test(start-server "/bin/false")
set_tests_properties(start-server PROPERTIES FIXTURES_SETUP server)
add_test(without-server "/bin/true")
set_tests_properties(without-server PROPERTIES FIXTURES_REQUIRED server)
add_test(asked-for "/bin/sh" "-c" "exit 77")
set_tests_properties(asked-for PROPERTIES SKIP_RETURN_CODE 77)
add_test(disabled "/bin/false")
set_tests_properties(disabled PROPERTIES DISABLED 1)
END
cat >features/queue.feature <<'END'
Feature: queue
  Scenario: submit
    Given a job
  Scenario: cancel
    Given a job
END
cat >features/steps/steps.py <<'END'
from behave import given

@given("a job")
def job(context):
    pass
END
cat >read.py <<'END'
import sys, junitparser

for path in sys.argv[1:]:
    report = junitparser.JUnitXml.fromfile(path)
    suites = [report] if isinstance(report, junitparser.TestSuite) else list(report)
    for suite in suites:
        print(f"  report: tests {suite.tests}, failures {suite.failures}, errors {suite.errors},",
              f"skipped {suite.skipped}")
        for case in suite:
            print(f"    {case.name}:", ", ".join(type(result).__name__ for result in case.result) or "passed")
END
{
  status=0
  env/bin/ctest --output-junit "$work/ctest.xml" >messages 2>&1 || status=$?
  echo "ctest: status $status, failed: $(sed -n 's/^\t *[0-9]* - \(.*\) (\(Failed\|Not Run\)).*/\1/p' messages | xargs)"
  env/bin/python read.py ctest.xml
  for hook in "before_feature(context, feature)" "before_all(context)" "before_scenario(context, scenario)"; do
    printf 'def %s:\n    raise RuntimeError("no database")\n' "$hook" >features/environment.py
    rm -rf reports
    status=0
    env/bin/behave --junit -f plain >messages 2>&1 || status=$?
    echo "behave, ${hook%(*}: status $status"
    env/bin/python read.py reports/*.xml
  done
} | tee seen
cat >expected <<'END'
ctest: status 8, failed: missing-program missing-file start-server without-server
  report: tests 6, failures 1, errors 0, skipped 4
    missing-program: Skipped
    missing-file: Skipped
    start-server: Failure
    without-server: Skipped
    asked-for: Skipped
    disabled: passed
behave, before_feature: status 1
  report: tests 2, failures 0, errors 0, skipped 2
    submit: Skipped
    cancel: Skipped
behave, before_all: status 1
  report: tests 2, failures 0, errors 0, skipped 2
    submit: Skipped
    cancel: Skipped
behave, before_scenario: status 1
  report: tests 2, failures 0, errors 2, skipped 0
    submit: Error
    cancel: Error
END
diff seen expected
