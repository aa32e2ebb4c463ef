#!/bin/sh
# ninja 1.13.0 and 1.11.1.1 of PyPI.
# Behaviour: an output that is newer than its input is built again if its log notes an older time for it
#   than the input has (`-d explain`: "recorded mtime of out.o older than most recent input"). To restore
#   outputs and log together after a branch was switched, with new times for the outputs, is not enough;
#   without the log each output is built again; `touch` of all outputs changes nothing.
# Expected: an output that is newer than all of its inputs is current, as for make.
# Who meets it: whoever caches a build folder of ninja (CMake, Meson) over branches or checkouts, in CI or
#   by a runner that restores outputs.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for version in 1.13.0 1.11.1.1; do
  python3 -m venv "env-$version"
  "env-$version/bin/pip" install -q --disable-pip-version-check "ninja==$version"
  ninja=$work/env-$version/bin/ninja
  place=$work/build-$version
  mkdir "$place"
  cd "$place"
  printf 'rule copy\n  command = cp $in $out\nbuild out.o: copy in.c\n' >build.ninja
  printf 'out.o: in.c\n\tcp in.c out.o\n' >Makefile
  echo main >in.c
  "$ninja" >/dev/null
  mkdir ../cache-"$version"
  cp out.o .ninja_log ../cache-"$version"
  # What `git checkout` does with a source that differs between two branches.
  sleep 1.1
  echo main >in.c
  sleep 1.1
  cp ../cache-"$version"/out.o ../cache-"$version"/.ninja_log .
  [ out.o -nt in.c ]
  make=$(make -q && echo current || echo stale)
  with=$("$ninja" -n | grep -q 'no work' && echo current || echo stale)
  touch out.o
  touched=$("$ninja" -n | grep -q 'no work' && echo current || echo stale)
  rm .ninja_log
  without=$("$ninja" -n | grep -q 'no work' && echo current || echo stale)
  echo "ninja $version: make $make, restored $with, touched $touched, without log $without"
  cd "$work"
done | tee seen
[ "$(grep -c 'make current, restored stale, touched stale, without log stale$' seen)" = 2 ]
