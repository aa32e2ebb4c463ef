#!/bin/sh
# tmux 3.3a (Debian 12, installed).
# Behaviour: an argument that ends with a semicolon ends the command of tmux there, quoted or not: the
#   shell has taken the quotes, and tmux cuts the semicolon off. `send-keys -l 'a;'` types `a`, with
#   status 0; `send-keys 'a;' Enter` types nothing and fails at a command named Enter. A semicolon within
#   the text or before a blank stays, and `\;` at its end is typed as one.
# Expected: with -l, or behind `--`, the keys are typed as they are.
# Who meets it: scripts, tests and agents that type what they are given into a pane: SQL, Rust, C, a
#   line of a shell: one line in many lacks its last character, the statement is not executed, and
#   nothing says so.
set -eu
command -v tmux >/dev/null || { echo "tmux is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'tmux -S "$work/socket" kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
: >typed
tmux -S "$work/socket" -f /dev/null new-session -d -x 80 -y 20 "cat >>typed; tmux -S '$work/socket' wait-for -S ended; exec sleep 100"
trial() {
  status=0
  tmux -S "$work/socket" send-keys "$@" 2>message || status=$?
  tmux -S "$work/socket" send-keys Enter
  echo "$*: status $status $(cat message)"
}
{
  trial -l 'drop table a;'
  trial -l -- 'drop table b;'
  trial -l 'drop table c; '
  trial -l 'drop table d;;'
  trial -l 'drop table e\;'
  trial 'drop table f;' Enter
  tmux -S "$work/socket" send-keys C-d
  tmux -S "$work/socket" wait-for ended
  sed 's/.*/typed: [&]/' typed
} | tee seen
cat >expected <<'END'
-l drop table a;: status 0 
-l -- drop table b;: status 0 
-l drop table c; : status 0 
-l drop table d;;: status 0 
-l drop table e\;: status 0 
drop table f; Enter: status 1 unknown command: Enter
typed: [drop table a]
typed: [drop table b]
typed: [drop table c; ]
typed: [drop table d;]
typed: [drop table e;]
typed: []
END
diff seen expected
