#!/bin/sh
# go-task 3.54.0 (PyPI go-task-bin).
# Behaviour: `sources` with the default method (checksum) are recorded before the lines execute, and
#   the record is withdrawn when one fails. If task itself is killed in between, the record stays: the
#   next start says "is up to date" and exits with 0, behind a half-written file of `generates`.
# Expected: only a finished execution counts, as after a failure or a TERM.
# Who meets it: runs that end by the out-of-memory killer, by `docker kill`, by a power cut or by a CI
#   agent's limit, wherever `.task` outlives them: a cached folder, a volume, the developer's disk.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q go-task-bin==3.54.0
cd "$work"
cat >Taskfile.yml <<'END'
version: '3'
tasks:
  build:
    sources: [source]
    generates: [built]
    cmds:
      - echo half >built; touch begun; sleep 2
      - echo whole >built
END
for signal in TERM KILL; do
  rm -rf .task begun built
  echo text >source
  setsid "$work/env/bin/task" build >log 2>&1 &
  task=$!
  while [ ! -e begun ]; do sleep 0.1; done
  kill "-$signal" "-$task"
  wait "$task" 2>/dev/null || true
  said=$("$work/env/bin/task" build 2>&1 | grep -o "up to date" || true)
  echo "after $signal: ${said:-executed}, built $(cat built)"
done | tee seen
cat >expected <<'END'
after TERM: executed, built whole
after KILL: up to date, built half
END
diff seen expected
