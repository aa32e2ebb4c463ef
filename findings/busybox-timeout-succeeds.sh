#!/bin/sh
# busybox 1.35.0 beside timeout of coreutils 9.1 (Debian 12; coreutils installed).
# Behaviour: `timeout` of busybox becomes the command itself and leaves a child behind that sends the TERM. So its
#   status is that of the command: 0 for one that ends in good order at TERM, as servers and many tools do, 143
#   for one that does not handle it, and never 124, which coreutils has for all of them.
# Expected: 124 when the time was up, since its name, its options and its place are those of coreutils.
# Who meets it: scripts and health checks in images of Alpine and other small ones: `timeout 600 migrate && mark-done`
#   marks what was cut off, and a check for 124 never holds. On the developer's machine both are right.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download busybox=1:1.35.0-4+deb12u1+b1 >/dev/null 2>&1
dpkg -x busybox_*.deb root
cat >orderly.py <<'END'
import signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
signal.pause()
END
cat >stubborn.py <<'END'
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.pause()
END
trial() { # label, command
  label=$1
  shift
  for program in timeout "root/bin/busybox timeout"; do
    status=0
    $program "$@" 2>/dev/null || status=$?
    echo "$label, ${program#root/bin/}: $status"
  done
}
{
  trial "ends in time with 3" 5 sh -c 'exit 3'
  trial "ends at TERM with 0" 1 python3 orderly.py
  trial "does not handle TERM" 1 sleep 5
  trial "ignores TERM, -k" -k 1 1 python3 stubborn.py
} | tee seen
cat >expected <<'END'
ends in time with 3, timeout: 3
ends in time with 3, busybox timeout: 3
ends at TERM with 0, timeout: 124
ends at TERM with 0, busybox timeout: 0
does not handle TERM, timeout: 124
does not handle TERM, busybox timeout: 143
ignores TERM, -k, timeout: 137
ignores TERM, -k, busybox timeout: 137
END
diff seen expected
