#!/bin/sh
# ctest of CMake 4.4.5 (PyPI cmake).
# Behaviour: ctest replaces its list of failed tests at the end of a run that has failures, and at no other time. After
#   a run that was cut off, by INT, TERM or KILL, `ctest --rerun-failed` executes what failed in an earlier one: a
#   test that is mended passes, status 0, "100% tests passed", and what has failed in the run that was cut off is not
#   executed. After a run that passes it still executes the old list, and with no list everything.
# Expected: what failed in the last run, as far as it went, which its log has; after a run that passes, nothing.
# Who meets it: Ctrl-C at the first failure, or a limit of time around ctest, then mending it and
#   `ctest --rerun-failed`: green, and about the failure of yesterday. Scripts that try flaky tests again so.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q cmake==4.4.5
export PATH="$work/env/bin:$PATH"
mkdir "$work/project"
cd "$work/project"
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(trial NONE)
enable_testing()
foreach(name first second)
  add_test(NAME ${name} COMMAND sh -c "test ! -e ${name}.broken")
endforeach()
add_test(NAME slow COMMAND sh -c "test ! -e hang || { touch begun; while test -e hang; do sleep 0.1; done; }")
END
cmake -S . -B build >/dev/null
cd build
# The names of the tests that were executed, and what became of them.
show() { # label, options
  label=$1
  shift
  status=0
  ctest "$@" >log 2>&1 || status=$?
  echo "$label: $(sed -n 's/.*Test *#[0-9]*: \([a-z]*\) [. *]*\([A-Z][a-z]*\).*/\1 \2/p' log | tr '\n' ',' | sed 's/,$//'), status $status"
}
{
  show "no list, --rerun-failed" --rerun-failed
  touch first.broken
  show "first is broken"
  rm first.broken
  touch second.broken hang
  ctest >log 2>&1 &
  while [ ! -e begun ]; do sleep 0.1; done
  kill -TERM $!
  wait $! || status=$?
  echo "second is broken, TERM in slow: $(sed -n 's/.*: \(second\) .*\(Failed\).*/\1 \2/p' log), status $status"
  rm hang
  show "--rerun-failed" --rerun-failed
  show "-R second" -R second
  show "--rerun-failed" --rerun-failed
  rm second.broken
  show "all are mended"
  show "--rerun-failed" --rerun-failed
} 2>/dev/null | tee seen
cat >expected <<'END'
no list, --rerun-failed: first Passed,second Passed,slow Passed, status 0
first is broken: first Failed,second Passed,slow Passed, status 8
second is broken, TERM in slow: second Failed, status 143
--rerun-failed: first Passed, status 0
-R second: second Failed, status 8
--rerun-failed: second Failed, status 8
all are mended: first Passed,second Passed,slow Passed, status 0
--rerun-failed: second Passed, status 0
END
diff seen expected
