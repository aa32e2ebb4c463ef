#!/bin/sh
# croniter 7.0.0 and cronsim 2.8 (PyPI), systemd 252 (Debian 12).
# Behaviour: in the night in which clocks go back, croniter returns 02:30 twice, an hour apart;
#   cronsim and systemd return it once. In spring croniter moves the missing 02:30 to 03:00.
# Expected: one nightly job a night from each, as all three read the same five fields.
# Who meets it: whoever computes run times in Python for jobs that a timer of systemd or cron starts
#   elsewhere, or moves jobs from one library to the other: one backup too many, once a year.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q croniter==7.0.0 cronsim==2.8 tzdata==2025.2
"$work/env/bin/python" - >"$work/seen" <<'END'
import datetime, zoneinfo
from croniter import croniter
from cronsim import CronSim

zone = zoneinfo.ZoneInfo("Europe/Zurich")
noon = datetime.datetime(2026, 10, 24, 12, 0, tzinfo=zone)
croniter_times = croniter("30 2 * * *", noon)
print("croniter", *(croniter_times.get_next(datetime.datetime).isoformat() for _ in range(3)))
cronsim_times = CronSim("30 2 * * *", noon)
print("cronsim", *(next(cronsim_times).isoformat() for _ in range(3)))
noon = datetime.datetime(2026, 3, 28, 12, 0, tzinfo=zone)
print("spring", croniter("30 2 * * *", noon).get_next(datetime.datetime).isoformat())
END
cat "$work/seen"
if command -v systemd-analyze >/dev/null; then
  TZ=Europe/Zurich systemd-analyze calendar --iterations=2 --base-time='2026-10-24 12:00' \
    '*-*-* 02:30:00' | grep -E 'elapse|Iter'
fi
cat >"$work/expected" <<'END'
croniter 2026-10-25T02:30:00+02:00 2026-10-25T02:30:00+01:00 2026-10-26T02:30:00+01:00
cronsim 2026-10-25T02:30:00+02:00 2026-10-26T02:30:00+01:00 2026-10-27T02:30:00+01:00
spring 2026-03-29T03:00:00+02:00
END
cmp "$work/seen" "$work/expected"
