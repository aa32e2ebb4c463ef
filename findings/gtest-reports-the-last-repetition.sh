#!/bin/sh
# googletest 1.12.1 (Debian 12), junitparser 5.0.3 (PyPI), g++ (Debian 12, installed).
# Behaviour: with `--gtest_repeat=3` the file of `--gtest_output=xml:` is written anew by each repetition, so it is
#   the report of the last one. A test that failed in the first and passed in the last has passed there, with
#   failures="0", while the program exits with 1. The failure is on standard output alone. JSON is the same. A folder,
#   `xml:many/`, which keeps the files of several runs of the program apart, gets one file for all repetitions too.
# Expected: one file has what made the status: each repetition, or each test with its worst result.
# Who meets it: whoever repeats tests to find those that fail now and then, the very use of --gtest_repeat: the page of
#   results is green and the job is red, and who reads the report has no name to look for.
set -eu
command -v g++ >/dev/null || { echo "g++ is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q junitparser==5.0.3
cd "$work"
apt-get download libgtest-dev=1.12.1-0.2 >/dev/null 2>&1
dpkg -x libgtest-dev_*.deb root
libraries=$(echo "$work"/root/usr/lib/*-linux-gnu)
# It fails the first time and passes from then on.
cat >queue.cpp <<'END'
#include <gtest/gtest.h>
static int times;
TEST(Queue, Steady) {}
TEST(Queue, Flaky) { EXPECT_GT(times++, 0) << "the first job was lost"; }
END
g++ -Iroot/usr/include queue.cpp "$libraries/libgtest.a" "$libraries/libgtest_main.a" -pthread -o queue
cat >read.py <<'END'
import json, pathlib, sys, junitparser

for path in sorted(map(pathlib.Path, sys.argv[1:])):
    if path.suffix == ".json":
        report = json.loads(path.read_text())
        print(f"  {path}: tests {report['tests']}, failures {report['failures']}")
    else:
        report = junitparser.JUnitXml.fromfile(str(path))
        failed = [case.name for suite in report for case in suite if case.result]
        print(f"  {path}: tests {report.tests}, failures {report.failures}", *failed)
END
{
  for output in xml:one.xml json:one.json xml:many/; do
    status=0
    ./queue --gtest_repeat=3 --gtest_output="$output" >messages || status=$?
    echo "$output: status $status, failures printed: $(grep -c '^\[  FAILED  \] Queue.Flaky (' messages)"
    case $output in
      */) env/bin/python read.py many/* ;;
      *) env/bin/python read.py "${output#*:}" ;;
    esac
  done
  ./queue --gtest_filter='*.Steady' --gtest_output=xml:many/ >/dev/null
  echo "another run with xml:many/:" many/*
} | tee seen
cat >expected <<'END'
xml:one.xml: status 1, failures printed: 1
  one.xml: tests 2, failures 0
json:one.json: status 1, failures printed: 1
  one.json: tests 2, failures 0
xml:many/: status 1, failures printed: 1
  many/queue.xml: tests 2, failures 0
another run with xml:many/: many/queue.xml many/queue_1.xml
END
diff seen expected
