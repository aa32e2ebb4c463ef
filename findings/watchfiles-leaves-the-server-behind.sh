#!/bin/sh
# watchfiles 1.3.0 beside watchdog 7.1.0 (PyPI), make 4.3 and dash (Debian 12, installed).
# Behaviour: to restart a command watchfiles sends INT, and KILL some seconds later, to the process that it has started
#   and to nothing below that. If this is a script or make, and the server is what they have started, the server
#   gets neither: the second one starts while the first one runs. `watchmedo auto-restart` signals the whole group.
# Expected: what INT from a terminal does, which reaches the script, make and the server, and ends all of them.
# Who meets it: `watchfiles "make serve" src` and scripts for development that start a server: the port is in use
#   after the first change, or the old code answers, or a queue has one more consumer with each saved file. A
#   script that starts the server with `exec` is restarted properly.
set -eu
work=$(mktemp -d)
trap 'end; rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q watchfiles==1.3.0 watchdog==7.1.0
cd "$work"
# The server writes its number, and ends in order at INT and TERM.
cat >server.sh <<'END'
trap 'exit 0' INT TERM
echo $$ >>started
while :; do sleep 0.1; done
END
cat >serve.sh <<'END'
sh server.sh
echo "the server has ended"
END
echo 'exec sh server.sh' >exec.sh
printf 'serve:\n\tsh server.sh\n\techo the server has ended\n' >Makefile
mkdir src
running() {
  count=0
  while read -r process; do
    if kill -0 "$process" 2>/dev/null; then count=$((count + 1)); fi
  done <started
  case $count in
    0) echo "none runs" ;;
    1) echo "one runs" ;;
    *) echo "several run" ;;
  esac
}
end() {
  [ ! -e "$work/started" ] || while read -r process; do kill "$process" 2>/dev/null || true; done <"$work/started"
}
trial() {
  label=$1
  shift
  : >started
  # A shell without job control starts its background commands with INT ignored.
  env --default-signal=INT,QUIT "$@" >log 2>&1 &
  watcher=$!
  tries=0
  while [ "$(grep -c . started)" -lt 2 ] && [ $tries -lt 200 ]; do
    [ "$(grep -c . started)" = 0 ] || [ $((tries % 40)) != 20 ] || : >>"src/$watcher"
    sleep 0.1
    tries=$((tries + 1))
  done
  sleep 1
  echo "$label: $(running)"
  kill -KILL "$watcher"
  wait "$watcher" 2>/dev/null || true
  end
}
# Shorter limits, so that it ends in time.
short="--sigint-timeout 1 --sigkill-timeout 1 --verbosity warning"
{
  # shellcheck disable=SC2086
  for command in "sh exec.sh" "sh serve.sh" "make serve"; do
    trial "watchfiles, $command" env/bin/watchfiles $short "$command" src
    trial "watchmedo, $command" env/bin/watchmedo auto-restart -d src -- $command
  done
} | tee seen
cat >expected <<'END'
watchfiles, sh exec.sh: one runs
watchmedo, sh exec.sh: one runs
watchfiles, sh serve.sh: several run
watchmedo, sh serve.sh: one runs
watchfiles, make serve: several run
watchmedo, make serve: one runs
END
diff seen expected
