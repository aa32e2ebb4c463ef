#!/bin/sh
# pyte 0.8.2 (PyPI) beside tmux 3.3a (Debian 12, installed).
# Behaviour: pyte stores only the lines that something was written to, and reading `Screen.display` creates the missing
#   ones. Deleting lines treats the two differently: `ESC [ 5 M` on four lines of text, with nothing below, leaves
#   three of them where they are, and leaves none once the screen has been read. `resize` deletes lines as well:
#   from eight rows to four it keeps what is at the top if nobody has read the screen, and clears it if
#   somebody has. tmux deletes the lines in the first case and keeps the text in the second, read or not.
# Expected: reading a screen does not change it.
# Who meets it: tests and recorders that feed a program's output to pyte: an assertion or a debugging print in between
#   changes all that follows, a recorder that takes a picture after each write gets another end than one that takes
#   only the last, and a bug goes away when one looks for it.
set -eu
command -v tmux >/dev/null || { echo "tmux is missing" >&2; exit 1; }
work=$(mktemp -d)
end() {
  for socket in "$work"/socket*; do tmux -S "$socket" kill-server 2>/dev/null || true; done
  rm -rf "$work"
}
trap end EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q pyte==0.8.2
cd "$work"
cat >trial.py <<'END'
import pyte

def trial(read, change):
    screen = pyte.Screen(12, 8)
    stream = pyte.Stream(screen)
    stream.feed("one\r\ntwo\r\nthree\r\nfour")
    if read:
        screen.display
    change(screen, stream)
    return "|".join(line.rstrip() for line in screen.display)

changes = {
    "five lines deleted": lambda screen, stream: stream.feed("\033[H\033[5M"),
    "two lines deleted": lambda screen, stream: stream.feed("\033[H\033[2M"),
    "four rows": lambda screen, stream: screen.resize(lines=4),
}
for name, change in changes.items():
    for read in False, True:
        print(f"pyte, {'read' if read else 'unread'}, {name}: {trial(read, change)}")
END
t() {
  tmux -S "$work/socket$number" "$@"
}
# The pane writes the four lines, waits until the screen was read or not, writes $2, and stays. The answer to a query of
# the cursor says that tmux has read all that was written before.
cat >pane <<'END'
shown() {
  printf '\033[6n'
  IFS= read -rsd R
  tmux -S "$1" wait-for -S "$2"
}
stty -echo
printf 'one\ntwo\nthree\nfour'
shown "$1" text
tmux -S "$1" wait-for next
printf '%b' "$2"
shown "$1" change
exec sleep 100
END
number=0
trial() {
  number=$((number + 1))
  t -f /dev/null new-session -d -x 12 -y 8 "exec sleep 100"
  t set-option -g status off
  t set-option -g window-size manual
  t resize-window -x 12 -y 8
  t respawn-pane -k "exec bash '$work/pane' '$work/socket$number' '$3'"
  t wait-for text
  [ "$1" = unread ] || t capture-pane -p >/dev/null
  t wait-for -S next
  t wait-for change
  [ "$4" = 8 ] || t resize-window -x 12 -y "$4"
  echo "tmux, $1, $2: $(t capture-pane -p | paste -s -d '|')"
  t kill-server
}
{
  env/bin/python trial.py
  for read in unread read; do
    trial $read "five lines deleted" '\033[H\033[5M' 8
    trial $read "four rows" '' 4
  done
} | tee seen
cat >expected <<'END'
pyte, unread, five lines deleted: one|two|three|||||
pyte, read, five lines deleted: |||||||
pyte, unread, two lines deleted: three|four||||||
pyte, read, two lines deleted: three|four||||||
pyte, unread, four rows: one|two|three|four
pyte, read, four rows: |||
tmux, unread, five lines deleted: |||||||
tmux, unread, four rows: one|two|three|four
tmux, read, five lines deleted: |||||||
tmux, read, four rows: one|two|three|four
END
diff seen expected
