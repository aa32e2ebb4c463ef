#!/bin/sh
# circus 0.19.0 beside supervisor 4.3.0 (PyPI).
# Behaviour: `max_retry = 2` bounds how often circus tries to create the process. A command that was created and ends
#   at once, with an error, is started again at each check for as long as circusd runs, whatever `max_retry` says, and
#   `circusctl status` says "active". supervisor gives up after `startretries` and says FATAL.
# Expected: a service that fails right after its start counts as one that could not be started.
# Who meets it: a service with a mistake in its settings, a port that is taken, or a database that is away: monitors of
#   the status see nothing, the log and the machine are busy with it, and what it does in its first moment, a
#   migration, a message or a login that is counted, it does for ever.
set -eu
work=$(mktemp -d)
circus= supervisor=
trap 'kill $circus $supervisor 2>/dev/null || true; wait; rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q circus==0.19.0 supervisor==4.3.0
cd "$work"
printf '#!/bin/sh\necho start >>"$1"\nexit 3\n' >service
chmod +x service
cat >circus.ini <<END
[circus]
endpoint = ipc://$work/endpoint
pubsub_endpoint = ipc://$work/events
check_delay = 1
[watcher:service]
cmd = $work/service $work/circus
max_retry = 2
END
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
[program:service]
command=$work/service $work/supervisor
startretries=2
END
starts() { [ ! -e "$1" ] && echo 0 || wc -l <"$1"; }
env/bin/circusd circus.ini >/dev/null 2>&1 &
circus=$!
env/bin/supervisord -c supervisord.conf >/dev/null 2>&1 &
supervisor=$!
state() { env/bin/supervisorctl -c supervisord.conf status | sed -n 's/^service *\([A-Z]*\).*/\1/p'; }
while [ "$(state)" != FATAL ] || [ "$(starts circus)" -lt 8 ]; do sleep 0.5; done
{
  echo "supervisor: $(starts supervisor) starts, $(state)"
  echo "circus: $([ "$(starts circus)" -ge 8 ] && echo "eight starts and more"), $(env/bin/circusctl --endpoint "ipc://$work/endpoint" status service)"
} | tee seen
cat >expected <<'END'
supervisor: 3 starts, FATAL
circus: eight starts and more, active
END
diff seen expected
