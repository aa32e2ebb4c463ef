#!/bin/sh
# supervisor 4.3.0 (PyPI).
# Behaviour: `supervisorctl update` after `numprocs` went from 2 to 3 stops both running processes and
#   starts three new ones. Two blanks in place of one in `command` do the same for a program that is
#   otherwise equal. A changed variable is not in the processes after `restart`, which starts the old
#   definition again and succeeds.
# Expected: update starts what is missing, and leaves alone what would be started the same way.
# Who meets it: whoever adds workers to a queue under load: all jobs that run are cut off at once. A
#   formatter or a template that writes the file anew is enough.
set -eu
work=$(mktemp -d)
daemon=
trap '[ -z "$daemon" ] || kill "$daemon"; rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q supervisor==4.3.0
cd "$work"
write() { # number of processes, command, variable
  cat >supervisord.conf <<END
[unix_http_server]
file=$work/socket
[supervisord]
nodaemon=true
logfile=$work/log
pidfile=$work/pid
[rpcinterface:supervisor]
supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface
[supervisorctl]
serverurl=unix://$work/socket
[program:worker]
command=$2
environment=LEVEL="$3"
process_name=%(program_name)s_%(process_num)d
numprocs=$1
startsecs=0
END
}
control() { "$work/env/bin/supervisorctl" -c supervisord.conf "$@"; }
number() { control pid worker:worker_0; }
level() { tr '\0' '\n' <"/proc/$(number)/environ" | sed -n 's/^LEVEL=//p'; }
report() { # what was done
  new=$(number)
  echo "$1: $(control status | grep -c RUNNING) run, the first $([ "$new" = "$first" ] && echo "goes on" || echo "is a new one"), LEVEL $(level)"
  first=$new
}
write 2 "sleep 1000" info
"$work/env/bin/supervisord" -c supervisord.conf >/dev/null 2>&1 &
daemon=$!
while [ ! -S socket ] || ! first=$(number) || [ "$first" = 0 ]; do sleep 0.2; done
{
  control update >/dev/null
  report "nothing changed, update"
  write 3 "sleep 1000" info
  control update >/dev/null
  report "a third process, update"
  write 3 "sleep  1000" info
  control update >/dev/null
  report "another blank, update"
  write 3 "sleep  1000" debug
  control restart worker:* >/dev/null
  report "LEVEL debug, restart"
} | tee seen
cat >expected <<'END'
nothing changed, update: 2 run, the first goes on, LEVEL info
a third process, update: 3 run, the first is a new one, LEVEL info
another blank, update: 3 run, the first is a new one, LEVEL info
LEVEL debug, restart: 3 run, the first is a new one, LEVEL info
END
diff seen expected
