#!/bin/sh
# systemd-analyze of systemd 252 (Debian 12, installed).
# Behaviour: `systemd-analyze verify` exits with 0 for a unit with keys and sections that do not exist, and with values
#   that it cannot read, after it has said so on standard error: the unit would be loaded without them. It exits
#   with 1 only for one that cannot be loaded or whose program is missing. `--recursive-errors=no`, which is about the
#   units beside it, makes all of them a 1.
# Expected: a command named verify fails for what it complains about, without an option of another purpose.
# Who meets it: checks of units before they are shipped: `Restart=` with a mistake in its value, a limit of memory under
#   a wrong name and an [Install] that was misspelt pass, and the service does not come back after a crash, has
#   no limit, or is not enabled. Of two times in a timer one may be missing.
set -eu
command -v systemd-analyze >/dev/null || { echo "systemd-analyze is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
verify() { # unit
  for option in "" --recursive-errors=no; do
    status=0
    systemd-analyze verify $option "$work/$1" >log 2>&1 || status=$?
    echo "  verify${option:+ $option}: status $status, complaints: $(grep -c "$1:" log || true)"
  done
}
service() { # label, lines of [Service], another section
  echo "$1"
  printf '[Service]\nExecStart=/bin/true\n%b\n%b\n' "$2" "$3" >trial.service
  verify trial.service
}
{
  service "a sound unit" "Restart=on-failure\nMemoryMax=1G" "[Install]\nWantedBy=multi-user.target"
  service "unknown keys" "Restrat=on-failure\nMemoryMaximum=1G" ""
  service "values that it cannot read" "Restart=on-error\nMemoryMax=1 GiB or so" ""
  service "an unknown section" "" "[Instal]\nWantedBy=multi-user.target"
  service "a program that is missing" "ExecStartPre=/no/such/program" ""
  echo "one of two times of a timer"
  printf '[Timer]\nOnCalendar=daily\nOnCalendar=mon 25:00\n' >trial.timer
  service "its service" "" "" >/dev/null
  verify trial.timer
} | tee seen
cat >expected <<'END'
a sound unit
  verify: status 0, complaints: 0
  verify --recursive-errors=no: status 0, complaints: 0
unknown keys
  verify: status 0, complaints: 2
  verify --recursive-errors=no: status 1, complaints: 2
values that it cannot read
  verify: status 0, complaints: 2
  verify --recursive-errors=no: status 1, complaints: 2
an unknown section
  verify: status 0, complaints: 1
  verify --recursive-errors=no: status 1, complaints: 1
a program that is missing
  verify: status 1, complaints: 1
  verify --recursive-errors=no: status 1, complaints: 1
one of two times of a timer
  verify: status 0, complaints: 1
  verify --recursive-errors=no: status 1, complaints: 1
END
diff seen expected
