#!/bin/sh
# nproc of coreutils 9.1 beside getconf and Python 3.11 (Debian 12, installed).
# Behaviour: `nproc` prints what OMP_NUM_THREADS says, 1 for 1 and 64 for 64 with fewer processors, and never
#   more than OMP_THREAD_LIMIT. `nproc --all`, `getconf _NPROCESSORS_ONLN` and Python do not look at either.
# Expected: nproc counts processors; the two variables are for programs with OpenMP.
# Who meets it: `make -j$(nproc)`, `xargs -P$(nproc)` and the like in a shell, an image or a job that has
#   OMP_NUM_THREADS=1, as one sets it for NumPy and as batch systems do: everything is done one by one, for an hour
#   in place of minutes, without a word. With the number of a larger machine too much runs at once.
set -eu
for program in nproc getconf python3; do
  command -v $program >/dev/null || { echo "$program is missing" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset OMP_NUM_THREADS OMP_THREAD_LIMIT
processors=$(getconf _NPROCESSORS_ONLN)
# "the same" as without variables, or the number.
show() { # label, variables
  label=$1
  shift
  for program in "nproc" "nproc --all" "getconf _NPROCESSORS_ONLN" "python3 count.py"; do
    plain=$($program)
    value=$(env "$@" $program)
    [ "$value" != "$plain" ] || value="the same"
    echo "$label, $program: $value"
  done
}
more=$((processors + 100))
echo "import os; print(os.cpu_count(), len(os.sched_getaffinity(0)))" >count.py
{
  show "OMP_NUM_THREADS more by 100" OMP_NUM_THREADS=$more | sed "s/: $more$/: more by 100/"
  show "the same with OMP_THREAD_LIMIT=7" OMP_NUM_THREADS=$more OMP_THREAD_LIMIT=7
} | tee seen
cat >expected <<'END'
OMP_NUM_THREADS more by 100, nproc: more by 100
OMP_NUM_THREADS more by 100, nproc --all: the same
OMP_NUM_THREADS more by 100, getconf _NPROCESSORS_ONLN: the same
OMP_NUM_THREADS more by 100, python3 count.py: the same
the same with OMP_THREAD_LIMIT=7, nproc: 7
the same with OMP_THREAD_LIMIT=7, nproc --all: the same
the same with OMP_THREAD_LIMIT=7, getconf _NPROCESSORS_ONLN: the same
the same with OMP_THREAD_LIMIT=7, python3 count.py: the same
END
diff seen expected
