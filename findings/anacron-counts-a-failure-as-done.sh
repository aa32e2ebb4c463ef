#!/bin/sh
# anacron 2.3 (Debian 12).
# Behaviour: anacron writes the date of a job when it has ended, whatever its status. A job that failed is not due
#   again until its period is over, a month for one of thirty days, and anacron itself exits with 0. A job that was
#   cut off together with anacron, by KILL, is due at the next start.
# Expected: what failed is due, as what was never begun; a job of cron has another chance at its next time, which
#   is the next day at the latest for what anacron calls daily.
# Who meets it: laptops and machines that are off at night, on which Debian executes cron.daily, weekly and monthly by
#   anacron: the backup that found no network in the minute after the start is done for today, or for this month.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apt-get download anacron=2.3-36 >/dev/null 2>&1
dpkg -x anacron_*.deb root
mkdir spool
cat >table <<END
SHELL=/bin/sh
PATH=/usr/bin:/bin
30 0 good echo good >>$work/log
30 0 bad echo bad >>$work/log; exit 3
30 0 cut echo cut >>$work/log; [ -e $work/once ] || { touch $work/once; kill -9 \$(cat $work/pid) \$\$; }
END
start() { # label
  : >log
  # The job reads the number of anacron there.
  status=0
  sh -c 'echo $$ >pid; exec root/usr/sbin/anacron -d -s -t table -S spool' 2>messages || status=$?
  echo "$1: status $status, executed: $(tr '\n' ' ' <log)"
  sed -n "s/.*\(Job .*exit status.*\)/  \1/p" messages
}
{
  start "first start"
  start "second start"
  start "third start"
  echo "dates: $(for job in good bad cut; do [ "$(cat spool/$job)" = "$(date +%Y%m%d)" ] && echo "$job today"; done | xargs)"
} 2>/dev/null | tee seen
cat >expected <<'END'
first start: status 137, executed: good bad cut 
  Job `bad' terminated (exit status: 3)
second start: status 0, executed: cut 
third start: status 0, executed: 
dates: good today bad today cut today
END
diff seen expected
