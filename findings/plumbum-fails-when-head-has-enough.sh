#!/bin/sh
# plumbum 2.0.2 (PyPI).
# Behaviour: a pipeline fails if any of its commands does, so `(seq[1000000] | head["-n", "1"])()`
#   raises ProcessExecutionError with the status -13, the SIGPIPE of a writer that head no longer reads.
#   A writer whose output fits the pipe succeeds: the same line passes with `seq[100]`.
# Expected: the status of the last command, as in sh, or an exception for SIGPIPE.
# Who meets it: scripts that were tried with little data: `log | head`, `find | grep -q`; they fail
#   when the log grows, or at random where both commands race.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q plumbum==2.0.2
cd "$work"
cat >pipes.py <<'END'
from plumbum import ProcessExecutionError, local
from plumbum.cmd import false, grep, head, seq

for name, pipeline in (("short | head", seq["100"] | head["-n", "1"]),
                       ("long | head", seq["1000000"] | head["-n", "1"]),
                       ("long | grep -q", seq["1000000"] | grep["-q", "1"]),
                       ("false | head", false | head["-n", "1"])):
    try:
        print(f"{name}: {pipeline()!r}")
    except ProcessExecutionError as error:
        print(f"{name}: status {error.retcode}, output {error.stdout!r}")
END
"$work/env/bin/python" pipes.py | tee seen
cat >expected <<'END'
short | head: '1\n'
long | head: status -13, output '1\n'
long | grep -q: status -13, output ''
false | head: status 1, output ''
END
diff seen expected
