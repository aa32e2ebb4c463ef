#!/bin/sh
# sem of GNU parallel 20221122 beside flock of util-linux 2.38.1 (Debian 12, installed).
# Behaviour: `sem --semaphoretimeout 1` waits for a second and then executes its command beside the one that holds the
#   semaphore, with a warning, "Stealing the semaphore", and the status of the command. A negative number makes it
#   give up, with 1. `flock --timeout 1` gives up, with 1 and without a message.
# Expected: a limit for waiting ends the waiting, and the command is not executed.
# Who meets it: who moves from `flock -w 600` to sem for the sake of several places, `sem -j2 --st 600 backup`: on
#   the night on which the backups take longer there are three, and the day after that four.
set -eu
for program in sem flock; do
  command -v $program >/dev/null || { echo "$program is missing" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PARALLEL_HOME="$work/home"
mkdir home
echo 'echo the first starts >>log; while [ ! -e over ]; do sleep 0.1; done; echo the first ends >>log' >first
echo 'echo the second starts >>log' >second
trial() { # label, how one holds it, how another waits for it
  rm -f log over
  $2 sh first &
  while [ ! -e log ]; do sleep 0.1; done
  status=0
  $3 sh second 2>/dev/null || status=$?
  touch over
  wait
  echo "$1: status $status, $(tr '\n' ',' <log | sed 's/,/, /g; s/, $//')"
}
{
  trial "flock --timeout 1" "flock file" "flock --timeout 1 file"
  trial "sem --semaphoretimeout 1" "sem --fg --id one" "sem --fg --id one --semaphoretimeout 1"
  trial "sem --semaphoretimeout -1" "sem --fg --id two" "sem --fg --id two --semaphoretimeout -1"
} | tee seen
cat >expected <<'END'
flock --timeout 1: status 1, the first starts, the first ends
sem --semaphoretimeout 1: status 0, the first starts, the second starts, the first ends
sem --semaphoretimeout -1: status 1, the first starts, the first ends
END
diff seen expected
