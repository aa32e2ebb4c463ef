#!/bin/sh
# croniter 7.0.0 beside cronsim 2.8 (PyPI).
# Behaviour: `0 0 */2 * 1` fires in cron on Mondays with an odd date: a day of the month or of the week
#   that begins with `*` counts as unrestricted, also with a step, and then both must fit. cronsim does
#   as Debian's cron 3.0 does. croniter takes either unless the field is `*` alone: each odd
#   date, and each Monday as well. With `1-31/2` in its place all take either. For
#   `0 0 */100,1-7 * 1`, the known line for the first Monday of a month, croniter has ten days of November.
# Expected: a `*` with a step and the range that it stands for mean the same; a reader of crontabs has
#   the rule of cron, whatever that is.
# Who meets it: schedulers, dashboards and checks for missed runs in Python beside the cron
#   that executes the line: alarms for runs that were never due, or a job that moves there and then runs
#   ten times as often. croniter has `implement_cron_bug=True`.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q croniter==7.0.0 cronsim==2.8
cd "$work"
cat >trial.py <<'END'
import datetime
from croniter import croniter
from cronsim import CronSim

start = datetime.datetime(2026, 11, 1)
end = datetime.datetime(2026, 12, 1)

def days(following):
    found = []
    while (moment := following()) < end:
        found.append(moment.strftime("%a %-d"))
    return ", ".join(found)

for line in "0 0 */2 * 1", "0 0 1-31/2 * 1", "0 0 */100,1-7 * 1":
    iterator = croniter(line, start)
    as_cron = croniter(line, start, implement_cron_bug=True)
    simulated = CronSim(line, start)
    print(line)
    print("  cronsim: ", days(lambda: next(simulated)))
    print("  croniter:", days(lambda: iterator.get_next(datetime.datetime)))
    print("  with implement_cron_bug:", days(lambda: as_cron.get_next(datetime.datetime)))
END
"$work/env/bin/python" trial.py | tee seen
cat >expected <<'END'
0 0 */2 * 1
  cronsim:  Mon 9, Mon 23
  croniter: Mon 2, Tue 3, Thu 5, Sat 7, Mon 9, Wed 11, Fri 13, Sun 15, Mon 16, Tue 17, Thu 19, Sat 21, Mon 23, Wed 25, Fri 27, Sun 29, Mon 30
  with implement_cron_bug: Mon 9, Mon 23
0 0 1-31/2 * 1
  cronsim:  Mon 2, Tue 3, Thu 5, Sat 7, Mon 9, Wed 11, Fri 13, Sun 15, Mon 16, Tue 17, Thu 19, Sat 21, Mon 23, Wed 25, Fri 27, Sun 29, Mon 30
  croniter: Mon 2, Tue 3, Thu 5, Sat 7, Mon 9, Wed 11, Fri 13, Sun 15, Mon 16, Tue 17, Thu 19, Sat 21, Mon 23, Wed 25, Fri 27, Sun 29, Mon 30
  with implement_cron_bug: Mon 2, Tue 3, Thu 5, Sat 7, Mon 9, Wed 11, Fri 13, Sun 15, Mon 16, Tue 17, Thu 19, Sat 21, Mon 23, Wed 25, Fri 27, Sun 29, Mon 30
0 0 */100,1-7 * 1
  cronsim:  Mon 2
  croniter: Mon 2, Tue 3, Wed 4, Thu 5, Fri 6, Sat 7, Mon 9, Mon 16, Mon 23, Mon 30
  with implement_cron_bug: Mon 2
END
diff seen expected
