#!/bin/sh
# pyte 0.8.2 (PyPI) beside tmux 3.3a (Debian 12, installed).
# Behaviour: pyte prints the rest of sequences that it does not know: `ESC [ 4:3 m` (a wavy line)
#   leaves "3m" on its screen, the end of a keyboard mode "u", a query of a capability its whole text.
#   It has no second screen: what a pager showed stays, with the prompt behind it.
# Expected: unknown sequences are skipped to their end, as ECMA-48 allows, and `ESC [ ? 1049 l` brings
#   the first screen back.
# Who meets it: tests of programs for terminals, and recorders, which look at pyte's `display`: they
#   find text that nobody sees, and the more so the newer the program.
set -eu
work=$(mktemp -d)
trap 'tmux -S "$work/socket" kill-server 2>/dev/null || true
  rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q pyte==0.8.2
cd "$work"
cat >screen.py <<'END'
import sys, pyte

screen = pyte.Screen(30, 4)
pyte.ByteStream(screen).feed(sys.stdin.buffer.read().replace(b"\n", b"\r\n"))
print(*(line.rstrip() for line in screen.display if line.strip()), sep="|")
END
show() { # label, format of printf
  printf "$2" >bytes
  echo "$1, pyte: $("$work/env/bin/python" screen.py <bytes)"
  env -u TMUX tmux -S "$work/socket" -f /dev/null new-session -d -x 30 -y 4 "cat bytes; sleep 60"
  screen=
  while ! echo "$screen" | grep -q end; do
    sleep 0.1
    screen=$(tmux -S "$work/socket" capture-pane -p | sed '/^$/d' | paste -sd '|')
  done
  tmux -S "$work/socket" kill-server
  echo "$1, tmux: $screen"
}
{
  show "wavy line" 'a \033[4:3mtypo\033[0m end'
  show "colour" 'a \033[38:2::200:0:0mred\033[0m end'
  show "keyboard" 'a\033[>1u\033[<u end'
  show "capability" 'a\033P+q544e\033\\ end'
  show "pager" 'prompt\033[?1049h\033[2J\033[Hpage\033[?1049l end'
} | tee seen
cat >expected <<'END'
wavy line, pyte: a 3mtypo end
wavy line, tmux: a typo end
colour, pyte: a 2::200:0:0mred end
colour, tmux: a red end
keyboard, pyte: au end
keyboard, tmux: a end
capability, pyte: a+q544e end
capability, tmux: a end
pager, pyte: page end
pager, tmux: prompt end
END
diff seen expected
