#!/bin/sh
# runit 2.1.2 and daemontools 0.76 (Debian 12).
# Behaviour: TERM ends runsvdir and svscan at once and reaches nothing below them: the supervisors of the
#   services go on without a parent, and start their services again when these end. HUP, which means
#   "read again" elsewhere, makes runsvdir stop its services; svscan has no signal for it.
# Expected: TERM to the process that started everything stops everything, as with supervisord.
# Who meets it: runsvdir as the first process of a container or below `timeout`, a unit or a test: in a
#   container the services are killed without their TERM, as the end of the first process kills the
#   rest; elsewhere they stay, keep their ports, and the next
#   start cannot lock their folders.
set -eu
work=$(mktemp -d)
cd "$work"
apt-get download runit=2.1.2-54 daemontools=1:0.76-8.1 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" root; done
PATH="$work/root/usr/bin:$work/root/usr/sbin:$work/root/sbin:$work/root/bin:$PATH"
end() {
  sv -w 5 exit "$work"/runsvdir*/service >/dev/null 2>&1 || true
  svc -dx "$work/svscan-TERM/service" 2>/dev/null || true
  rm -rf "$work"
}
trap end EXIT
trial() { # program, signal
  folder=$work/$1-$2
  mkdir -p "$folder/service"
  cat >"$folder/service/run" <<'END'
#!/bin/sh
trap 'echo stopped >>log; exit' TERM
echo started >>log
while :; do sleep 0.1; done
END
  chmod +x "$folder/service/run"
  "$1" "$folder" >/dev/null 2>&1 &
  scanner=$!
  while [ ! -e "$folder/service/log" ]; do sleep 0.1; done
  kill "-$2" "$scanner"
  wait "$scanner" 2>/dev/null && status=0 || status=$?
  sleep 3
  state=$( { [ "$1" = svscan ] && svstat "$folder/service" || sv status "$folder/service"; } 2>&1 |
    grep -qE 'run:|: up' && echo runs || echo "does not run")
  echo "$1, $2: status $status, the service: $(tr '\n' ' ' <"$folder/service/log")and $state"
}
{
  trial runsvdir TERM
  trial runsvdir HUP
  trial svscan TERM
} | tee seen
cat >expected <<'END'
runsvdir, TERM: status 0, the service: started and runs
runsvdir, HUP: status 111, the service: started stopped and does not run
svscan, TERM: status 143, the service: started and runs
END
diff seen expected
