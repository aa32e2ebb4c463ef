#!/bin/sh
# APScheduler 3.11.3 and cronsim 2.8 (PyPI).
# Behaviour: `CronTrigger.from_crontab` counts days of the week from Monday as 0: `0 0 * * 0` fires on
#   Mondays and a 7 is an error. With a day of the month and one of the week both must fit: `0 0 13 * 5`
#   waits for a thirteenth that is a Saturday; cron takes either, and Friday.
# Expected: a function of that name reads a line of a crontab as cron does.
# Who meets it: who moves a crontab into a service: jobs run a day later, or twice a year in place of
#   five times a month. Lines with `*` or `mon-fri` are right, which hides it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q apscheduler==3.11.3 cronsim==2.8
cd "$work"
cat >next.py <<'END'
import datetime
from apscheduler.triggers.cron import CronTrigger
from cronsim import CronSim

now = datetime.datetime(2026, 11, 28, 12, tzinfo=datetime.timezone.utc)

def scheduled(line):
    try:
        trigger = CronTrigger.from_crontab(line, timezone=datetime.timezone.utc)
    except ValueError as error:
        return type(error).__name__
    return f"{trigger.get_next_fire_time(None, now):%a %F}"

for line in "0 0 * * 0", "0 0 * * 7", "0 0 13 * 5", "0 0 * * sun":
    print(f"{line}: APScheduler {scheduled(line)}, cronsim {next(CronSim(line, now)):%a %F}")
END
"$work/env/bin/python" next.py | tee seen
cat >expected <<'END'
0 0 * * 0: APScheduler Mon 2026-11-30, cronsim Sun 2026-11-29
0 0 * * 7: APScheduler ValueError, cronsim Sun 2026-11-29
0 0 13 * 5: APScheduler Sat 2027-02-13, cronsim Fri 2026-12-04
0 0 * * sun: APScheduler Sun 2026-11-29, cronsim Sun 2026-11-29
END
diff seen expected
