#!/bin/sh
# ctest of CMake 4.4.5 (PyPI), GNU make 4.3 (Debian 12, installed).
# Behaviour: with `-j` and no number ctest is a client of make's job server, and takes one token for each test,
#   whatever its PROCESSORS. With `make -j4` four tests that need two processors each run at once, and four
#   that need four. `ctest -j4` without the job server runs two, and one.
# Expected: a test takes as many tokens as it has PROCESSORS, or as many as there are; RUN_SERIAL is kept.
# Who meets it: suites with tests that are parallel themselves (MPI, OpenMP, a build within a test), executed from
#   a Makefile, or by anything else that hands on its job server: tests that were right with `-j4` run into
#   their time limits or out of memory, because the machine has twice or four times the load.
set -eu
command -v make >/dev/null || { echo "make is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q cmake==4.4.5
cd "$work"
unset MAKEFLAGS MFLAGS CTEST_PARALLEL_LEVEL || true
export PATH="$work/env/bin:$PATH"
printf 'test:\n\t+ctest -j >/dev/null\n' >Makefile
declare() { # properties
  {
    echo 'foreach(number 1 2 3 4)'
    echo '  add_test(test${number} sh -c "echo begin >>log; sleep 1; echo end >>log")'
    echo "  set_tests_properties(test\${number} PROPERTIES $1)"
    echo 'endforeach()'
  } >CTestTestfile.cmake
}
most() {
  awk '/begin/ { if (++n > most) most = n } /end/ { n-- } END { print most }' log
}
for properties in "PROCESSORS 1" "PROCESSORS 2" "PROCESSORS 4" "RUN_SERIAL TRUE"; do
  declare "$properties"
  rm -f log
  timeout 60 ctest -j4 >/dev/null
  alone=$(most)
  rm -f log
  timeout 60 make -s -j4 test
  echo "$properties: at most $alone at once with ctest -j4, $(most) with ctest -j under make -j4"
done | tee seen
cat >expected <<'END'
PROCESSORS 1: at most 4 at once with ctest -j4, 4 with ctest -j under make -j4
PROCESSORS 2: at most 2 at once with ctest -j4, 4 with ctest -j under make -j4
PROCESSORS 4: at most 1 at once with ctest -j4, 4 with ctest -j under make -j4
RUN_SERIAL TRUE: at most 1 at once with ctest -j4, 1 with ctest -j under make -j4
END
diff seen expected
