#!/bin/sh
# just 1.59.0 and go-task 3.54.0 (PyPI rust-just, go-task-bin), make 4.3 (Debian 12, installed).
# Behaviour: `nohup just ...` ends at a HUP, with 129 and "interrupted by SIGHUP", and so before its
#   next line: just handles HUP also where it was started with HUP ignored. make and task go on. The
#   lines of just and task have HUP at its default again; those of make keep it ignored.
# Expected: nohup works for every program that does not ask for HUP as a reload.
# Who meets it: `nohup just deploy &` and a terminal that closes: the deployment stops between two
#   lines, and nohup.out ends without a reason to look for. `setsid` works for all of them.
set -eu
command -v make >/dev/null || { echo "make is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q rust-just==1.59.0 go-task-bin==3.54.0
cd "$work"
cat >step.sh <<'END'
grep SigIgn /proc/self/status >ignored
touch begun
while [ ! -e go ]; do sleep 0.1; done
END
printf 'deploy:\n  sh step.sh\n  touch second\n' >justfile
printf 'deploy:\n\tsh step.sh\n\ttouch second\n' >Makefile
cat >Taskfile.yml <<'END'
version: '3'
tasks:
  deploy:
    - sh step.sh
    - touch second
END
for runner in make "$work/env/bin/task" "$work/env/bin/just"; do
  rm -f ignored begun go second
  nohup "$runner" deploy >said 2>&1 &
  while [ ! -e begun ]; do sleep 0.1; done
  kill -HUP $!
  # just waits for the line that runs, so that nothing is lost by going on.
  touch go
  status=0
  wait $! || status=$?
  line=$(sed 's/.*\(.\)$/\1/; s/[13579bdf]/ignored/; s/^[0-9a-f]$/default/' ignored)
  echo "${runner##*/}: status $status, second line $([ -e second ] && echo yes || echo no), HUP in the first line $line"
done | tee seen
cat >expected <<'END'
make: status 0, second line yes, HUP in the first line ignored
task: status 0, second line yes, HUP in the first line default
just: status 129, second line no, HUP in the first line default
END
diff seen expected
