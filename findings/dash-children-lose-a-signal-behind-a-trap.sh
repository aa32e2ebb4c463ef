#!/bin/sh
# dash 0.5.12-2 beside bash 5.2.15 (Debian 12).
# Behaviour: a background child that dash forks while a trap is set loses a signal that reaches its process
#   group before the child has reset the trap: `trap 'exit' TERM; echo up; sleep 60 & wait` leaves the sleep
#   running in a large part of the tries. bash keeps such signals; with dash the child gets them if it is
#   forked before the trap is set.
# Expected: that TERM to a process group ends every process that does not handle it itself, whenever it comes.
# Who meets it: supervisors, container entry points and test suites with `#!/bin/sh` on Debian and Ubuntu that
#   report readiness just before they start the server: a stop right after the start takes the whole
#   grace period and ends with KILL.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/trial.py" <<'END'
import os, random, signal, subprocess, sys, time

def living(group):
    """The processes of a group that are no zombies."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if fields[2] == str(group) and fields[0] not in "ZX":
            found.append(name)
    return found

def survives(shell, script):
    child = subprocess.Popen([shell, "-c", script], stdout=subprocess.PIPE, start_new_session=True)
    child.stdout.readline()
    moment = time.perf_counter() + random.random() * 0.002
    while time.perf_counter() < moment:
        pass
    os.killpg(child.pid, signal.SIGTERM)
    child.wait()
    end = time.monotonic() + 0.3
    while living(child.pid) and time.monotonic() < end:
        time.sleep(0.01)
    left = bool(living(child.pid))
    if left:
        os.killpg(child.pid, signal.SIGKILL)
    return left

behind = "trap 'exit' TERM; echo up; sleep 60 & wait"
before = "sleep 60 & trap 'exit' TERM; echo up; wait"
tries = 200
seen = {}
for shell in "dash", "bash":
    for label, script in ("behind the trap", behind), ("before the trap", before):
        seen[shell, label] = sum(survives(shell, script) for _ in range(tries))
        print(f"{shell}, forked {label}: {seen[shell, label]} of {tries} children outlive TERM")
lost = seen.pop(("dash", "behind the trap"))
sys.exit(0 if lost > 0 and not any(seen.values()) else 1)
END
python3 "$work/trial.py"
