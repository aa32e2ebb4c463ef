#!/bin/sh
# inotify-tools 3.22.6 (Debian 12).
# Behaviour: `inotifywait -m -r --include '\.py$'` reports changes in all folders that are there when it
#   starts, also those whose names do not fit. A folder that is made later does not fit the pattern, so
#   no watch is set up in it, and nothing in it is ever reported. With --exclude of the other files, or
#   with neither, it is.
# Expected: the pattern selects what is reported, and -r follows folders, old and new, the same way.
# Who meets it: loops that restart or build at changes: they work until a new package, a switch of
#   branches that deletes and makes a folder, or a generator that empties its output first.
set -eu
work=$(mktemp -d)
watcher=
trap '[ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
apt-get download inotify-tools=3.22.6.0-4 libinotifytools0=3.22.6.0-4 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
LD_LIBRARY_PATH=$(dirname "$(find "$work/root" -name 'libinotifytools.so*' | head -n1)")
export LD_LIBRARY_PATH
# Writes the file until the watcher has reported it, ten times at most.
reported() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    echo content >"$1"
    sleep 0.2
    grep -q "^$1$" log && { echo yes; return; }
  done
  echo no
}
trial() {
  rm -rf tree
  mkdir -p tree/package/inner
  root/usr/bin/inotifywait -q -m -r -e close_write --format %w%f "$@" tree >log 2>&1 &
  watcher=$!
  top=$(reported tree/a.py)
  inner=$(reported tree/package/inner/b.py)
  mkdir tree/new
  new=$(reported tree/new/c.py)
  again=$(reported tree/package/inner/d.py)
  echo "${*:-all}: at the top $top, in an old folder $inner, in a new one $new, in the old one again $again"
  kill "$watcher"
  wait "$watcher" 2>/dev/null || true
  watcher=
}
{
  trial
  trial --include '\.py$'
  trial --exclude '\.txt$'
} | tee seen
cat >expected <<'END'
all: at the top yes, in an old folder yes, in a new one yes, in the old one again yes
--include \.py$: at the top yes, in an old folder yes, in a new one no, in the old one again yes
--exclude \.txt$: at the top yes, in an old folder yes, in a new one yes, in the old one again yes
END
diff seen expected
