#!/bin/sh
# tmux 3.3a (Debian 12, installed).
# Behaviour: `display-message` puts its text through strftime, on the terminal and with -p: "50%done" is "50", the day
#   of the month, "one"; "100%T" has the time. `%%` is a percent sign; a % before a blank or a comma stays. The value
#   of a variable, `#{@name}`, is not touched. `list-windows -F`, `new-window -P -F` and others leave `%d` alone.
# Expected: what is replaced in a format begins with `#`, and a format means the same in each command.
# Who meets it: scripts, hooks and agents that show a text of somebody else, `tmux display-message "$line"`: progress,
#   coverage, formats and encoded addresses are changed, and differently each day. An option takes the text
#   unharmed: `tmux set @line "$line"` and then `display-message '#{@line}'`.
set -eu
command -v tmux >/dev/null || { echo "tmux is missing" >&2; exit 1; }
work=$(mktemp -d)
terminal() { tmux -S "$work/socket" "$@"; }
trap 'terminal kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
terminal -f /dev/null new-session -d -n '50%done' 'sleep 1000'
terminal set-option -g @line '50%done'
day=$(date +%d)
# The day in the text, as a word.
display() { terminal display-message -p "$1" | sed "s/$day/[day]/"; }
{
  for text in '50%done' '50%%done' '50%, done' '#{@line} in #{window_name}'; do
    echo "display-message, $text: $(display "$text")"
  done
  echo "list-windows, 50%done: $(terminal list-windows -F '50%done')"
  echo "show-options: $(terminal show-options -gv @line)"
} | tee "$work/seen"
cat >"$work/expected" <<'END'
display-message, 50%done: 50[day]one
display-message, 50%%done: 50%done
display-message, 50%, done: 50%, done
display-message, #{@line} in #{window_name}: 50%done in 50%done
list-windows, 50%done: 50%done
show-options: 50%done
END
diff "$work/seen" "$work/expected"
