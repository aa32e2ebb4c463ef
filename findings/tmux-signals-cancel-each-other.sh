#!/bin/sh
# tmux 3.3a (Debian 12, installed).
# Behaviour: `tmux wait-for -S name` without anybody who waits is remembered: the next `tmux wait-for name` returns at
#   once, also in another window or an hour later. A second one before that cancels the first, and the next wait
#   waits; a third is remembered again. With somebody who waits, one signal wakes all of them.
# Expected: signals are counted, or one is kept, or none is.
# Who meets it: scripts and agents that start commands in windows, `make; tmux wait-for -S done`, and then wait for as
#   many: two that end before the first wait begins are none, and the script waits for ever; with slow ones it works.
#   A signal that nobody wanted makes the next wait return in the midst of its command. A name for each
#   command, such as done-$$-1, helps.
set -eu
command -v tmux >/dev/null || { echo "tmux is missing" >&2; exit 1; }
work=$(mktemp -d)
terminal() { tmux -S "$work/socket" "$@"; }
trap 'terminal kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
terminal -f /dev/null new-session -d 'exec sleep 1000'
wait_for() { # name, limit
  status=0
  timeout "${2:-2}" tmux -S "$work/socket" wait-for "$1" || status=$?
  case $status in 0) echo "returns" ;; 124) echo "waits" ;; *) echo "status $status" ;; esac
}
# Starts commands in windows of their own, and goes on when they have ended.
commands() { # name, number
  for number in $(seq "$2"); do
    terminal new-window -d "tmux -S $work/socket wait-for -S $1; touch $1.$number"
  done
  for number in $(seq "$2"); do
    while [ ! -e "$1.$number" ]; do sleep 0.1; done
  done
}
{
  for count in 0 1 2 3 4; do
    commands "channel$count" $count
    echo "$count ended before: the first wait $(wait_for channel$count), the second $(wait_for channel$count)"
  done
  for waiter in 1 2 3; do
    { echo "waiter $waiter: $(wait_for all 20)" >waiter$waiter; } &
  done
  # All of them must wait before there is a signal.
  sleep 1
  terminal wait-for -S all
  wait
  cat waiter?
} | tee seen
cat >expected <<'END'
0 ended before: the first wait waits, the second waits
1 ended before: the first wait returns, the second waits
2 ended before: the first wait waits, the second waits
3 ended before: the first wait returns, the second waits
4 ended before: the first wait waits, the second waits
waiter 1: returns
waiter 2: returns
waiter 3: returns
END
diff seen expected
