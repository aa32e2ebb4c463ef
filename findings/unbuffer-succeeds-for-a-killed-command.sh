#!/bin/sh
# unbuffer of expect 5.45.4 beside script of util-linux 2.38.1 and timeout, flock (Debian 12, installed).
# Behaviour: `unbuffer command` exits with the status of the command, 3 for a 3, but with 0 for a command
#   that was ended by a signal, KILL and SEGV alike, and says nothing. `script -e`, `timeout` and `flock`
#   exit with 128 and the number of the signal.
# Expected: another status than 0, as from each program that stands in front of a command.
# Who meets it: builds and tests that keep their colours and their order through it, `unbuffer make | tee
#   log` with pipefail: the compiler or the tests are ended by the out-of-memory killer, or crash, and
#   the step is green; on a log that ends in the midst of a line nobody looks.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download expect=5.45.4-2+b1 tcl-expect=5.45.4-2+b1 libtcl8.6=8.6.13+dfsg-2 tcl8.6=8.6.13+dfsg-2 \
  >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
lib=$(dirname root/usr/lib/*/libtcl8.6.so)
unbuffer() {
  LD_LIBRARY_PATH=$lib TCL_LIBRARY=root/usr/share/tcltk/tcl8.6 TCLLIBPATH="root/usr/lib/tcltk/${lib##*/}" \
    root/usr/bin/expect root/usr/bin/unbuffer "$@"
}
status() {
  name=$1
  shift
  if "$@" >output 2>&1; then code=0; else code=$?; fi
  echo "$name: $(tr -d '\r' <output | grep -c '^begun$') begun, status $code"
}
for end in 'exit 3' 'kill -KILL $$' 'kill -SEGV $$' 'kill -TERM $$'; do
  command="echo begun; $end"
  status "unbuffer, $end" unbuffer sh -c "$command"
  status "script, $end" script -qec "$command" /dev/null
  status "timeout, $end" timeout 60 sh -c "$command"
  status "flock, $end" flock lock sh -c "$command"
done </dev/null 2>/dev/null | tee seen
cat >expected <<'END'
unbuffer, exit 3: 1 begun, status 3
script, exit 3: 1 begun, status 3
timeout, exit 3: 1 begun, status 3
flock, exit 3: 1 begun, status 3
unbuffer, kill -KILL $$: 1 begun, status 0
script, kill -KILL $$: 1 begun, status 137
timeout, kill -KILL $$: 1 begun, status 137
flock, kill -KILL $$: 1 begun, status 137
unbuffer, kill -SEGV $$: 1 begun, status 0
script, kill -SEGV $$: 1 begun, status 139
timeout, kill -SEGV $$: 1 begun, status 139
flock, kill -SEGV $$: 1 begun, status 139
unbuffer, kill -TERM $$: 1 begun, status 0
script, kill -TERM $$: 1 begun, status 143
timeout, kill -TERM $$: 1 begun, status 143
flock, kill -TERM $$: 1 begun, status 143
END
diff seen expected
