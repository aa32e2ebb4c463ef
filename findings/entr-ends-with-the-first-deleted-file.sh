#!/bin/sh
# entr 5.3 (Debian 12).
# Behaviour: when one of the files of the list is deleted, entr says "cannot open", stops the program of
#   -r and ends with 1. All other files are there, and nobody watches them. A file that is replaced by
#   rename, as editors save, is found again.
# Expected: the others are watched on; to end at a change of the list is what -d asks for.
# Who meets it: `git ls-files | entr -r server`: the server is gone after a switch to a branch that has
#   one file less, a `git mv` or a stash, and what is in the terminal looks like a file that is missing.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download entr=5.3-1 >/dev/null 2>&1
dpkg -x entr_*.deb root
waits() { # for a condition
  for _ in $(seq 100); do eval "$1" && return; sleep 0.1; done
  echo "not seen: $1"
}
mkdir src
echo 1 >src/a
echo 1 >src/b
: >started
printf 'echo $$ >>started\nexec sleep 60\n' >server
starts() { wc -l <started; }
{ ls src/a src/b | root/usr/bin/entr -n -r sh server >log 2>&1 && echo 0 >status || echo $? >status; } &
{
  waits '[ "$(starts)" = 1 ]'
  # Again and again: one that follows the start at once can pass unseen.
  waits 'echo 2 >src/new; mv src/new src/b; [ "$(starts)" -gt 1 ]'
  sleep 1
  echo "b replaced: started again, ended: $([ -e status ] && echo yes || echo no)"
  rm src/b
  waits '[ -e status ]'
  echo "b deleted: ended with $(cat status), $(kill -0 "$(tail -n1 started)" 2>/dev/null && echo the server runs || echo no server)"
  cat log
} | tee seen
cat >expected <<'END'
b replaced: started again, ended: no
b deleted: ended with 1, no server
entr: cannot open 'src/b': No such file or directory
END
diff seen expected
