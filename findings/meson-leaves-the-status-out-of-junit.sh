#!/bin/sh
# meson 1.12.1 with ninja 1.13.2, junitparser 5.0.3 (PyPI).
# Behaviour: in testlog.junit.xml a test with `protocol: 'tap'` is a <testsuite> of its subtests, and what else became
#   of it is nowhere: a status other than 0, a signal, a time-out, "Bail out!" and a plan with more tests than came
#   leave `errors="0" failures="0"`. `meson test` itself calls them ERROR and TIMEOUT and fails. A test of
#   the default protocol that fails is a <failure>.
# Expected: what makes `meson test` fail is an <error> or a <failure> in its own report.
# Who meets it: CI that shows tests from the report: a program that crashes between two subtests is a suite that
#   is all green, with a test less than yesterday.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q meson==1.12.1 ninja==1.13.2 junitparser==5.0.3
export PATH="$work/env/bin:$PATH"
mkdir "$work/project"
cd "$work/project"
cat >meson.build <<'END'
project('trial')
sh = find_program('sh')
tests = {
  'failed subtest': 'echo 1..1; echo not ok 1 - one',
  'status 3': 'echo 1..1; echo ok 1 - one; exit 3',
  'killed': 'echo 1..1; echo ok 1 - one; kill -KILL $$',
  'time-out': 'echo 1..1; echo ok 1 - one; exec sleep 60',
  'plan': 'echo 1..2; echo ok 1 - one',
  'bail out': 'echo 1..2; echo ok 1 - one; echo Bail out! no database',
}
foreach name, script : tests
  test(name, sh, args: ['-c', script], protocol: 'tap', timeout: name == 'time-out' ? 1 : 30)
endforeach
test('plain, status 3', sh, args: ['-c', 'exit 3'])
END
meson setup build >/dev/null
status=0
meson test -C build >log 2>&1 || status=$?
cat >show.py <<'END'
import json
from junitparser import JUnitXml

# A suite for each test with subtests, named after it, and one for all the others.
found = {}
for suite in JUnitXml.fromfile("build/meson-logs/testlog.junit.xml"):
    for case in suite:
        name = suite.name if ":" in suite.name else case.name
        found.setdefault(name.split(":")[-1], []).append("bad" if case.result else "good")
for line in open("build/meson-logs/testlog.json"):
    test = json.loads(line)
    name = test["name"].split(":")[-1]
    print(f"{name}: {test['result']}, in the report {', '.join(found[name])}")
END
{
  echo "meson test: status $status"
  echo "report: $(sed -n 's/.*<testsuites \([^>]*\)>.*/\1/p' build/meson-logs/testlog.junit.xml)"
  python show.py | sort
} | tee seen
cat >expected <<'END'
meson test: status 1
report: tests="7" errors="0" failures="2"
bail out: ERROR, in the report good
failed subtest: FAIL, in the report bad
killed: ERROR, in the report good
plain, status 3: FAIL, in the report bad
plan: ERROR, in the report good
status 3: ERROR, in the report good
time-out: TIMEOUT, in the report good
END
diff seen expected
