#!/bin/sh
# pytest 9.2.0, junitparser 5.0.3 and xunitparser 1.3.4 (PyPI).
# Behaviour: with the fixture `subtests` the attribute `tests` counts each subtest as well, `failures`
#   each failed subtest and once more its test, but all of them are one <testcase>, with one <failure>
#   for each. A test whose teardown fails as well is two <testcase> of the same name.
# Expected: the attributes count the elements, and a name is in the file once.
# Who meets it: reports, badges and gates on `tests` and `failures`, which differ between the attributes
#   and whoever counts the elements; "passed = tests - failures" is wrong both ways.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q pytest==9.2.0 junitparser==5.0.3 xunitparser==1.3.4
cd "$work"
cat >test_three.py <<'END'
import pytest

@pytest.fixture
def service():
    yield
    raise OSError("cannot stop")

def test_service(service):
    assert False

def test_ports(subtests):
    for port in range(5):
        with subtests.test(port=port):
            assert port < 3

def test_names(subtests):
    for name in "abc":
        with subtests.test(name=name):
            pass
END
"$work/env/bin/pytest" -q --junitxml=report.xml test_three.py >said || true
cat >read.py <<'END'
import junitparser, xunitparser

[suite] = junitparser.JUnitXml.fromfile("report.xml")
print(f"attributes: tests {suite.tests}, failures {suite.failures}, errors {suite.errors}")
for case in suite:
    print(f"element: {case.name}, {len(case.result)} results")
suite.update_statistics()
print(f"junitparser: tests {suite.tests}, failures {suite.failures}, errors {suite.errors}")
with open("report.xml") as file:
    result = xunitparser.parse(file)[1]
print(f"xunitparser: tests {result.testsRun}, failures {len(result.failures)}, errors {len(result.errors)}")
END
{ tail -n 1 said | sed 's/ in .*//'; "$work/env/bin/python" read.py; } | tee seen
cat >expected <<'END'
4 failed, 1 passed, 1 error, 6 subtests passed
attributes: tests 12, failures 4, errors 1
element: test_service, 1 results
element: test_service, 1 results
element: test_ports, 3 results
element: test_names, 0 results
junitparser: tests 4, failures 4, errors 1
xunitparser: tests 4, failures 2, errors 1
END
diff seen expected
