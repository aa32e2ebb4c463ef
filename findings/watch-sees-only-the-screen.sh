#!/bin/sh
# watch of procps 4.0.2 (Debian 12, installed), pexpect 4.9.0 (PyPI) as the terminal.
# Behaviour: `watch --chgexit` ends when the output of its command changes, `watch --equexit 4` when it has stayed the
#   same for four turns. Both look at the part that fits the terminal: of twenty lines on ten rows they see
#   the first eight. A change below is none: the first one waits on, and the second one ends although every turn
#   had another output. With --no-wrap a change beyond the last column is none either.
# Expected: the output is compared; the terminal only limits what is shown of it.
# Who meets it: `watch -g` as "wait until this changes", before a reload, a test or a notification. It works while the
#   list is short, and in a large window. In a small one, or once the list has grown and the new entry comes
#   last, it waits for ever.
set -eu
command -v watch >/dev/null || { echo "watch is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q pexpect==4.9.0
cd "$work"
cat >look.py <<'END'
import os, pexpect

def write(name, lines):
    with open("next", "w") as file:
        file.write("".join(f"{line}\n" for line in lines))
    os.rename("next", name)

def ends(watch, turns):
    """Whether it ends before its command has been executed so many times."""
    while os.path.getsize("turns") < turns:
        if watch.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=0.1) == 0:
            return True
    return False

def start(rows, *arguments):
    open("turns", "w").close()
    return pexpect.spawn("watch", ["--interval", "0.2", *arguments], dimensions=(rows, 80),
                         env={**os.environ, "TERM": "xterm"})

def change(rows, row, character):
    lines = [f"job {number:2} " + "." * 90 for number in range(1, 21)]
    write("list", lines)
    watch = start(rows, "--no-wrap", "--chgexit", "cat list; printf . >>turns")
    assert not ends(watch, 3)
    text = lines[row - 1]
    lines[row - 1] = text[:character] + "!" + text[character + 1:]
    write("list", lines)
    print(f"--chgexit, {rows} rows, change in line {row} at {character}:", "ends" if ends(watch, 10) else "waits on")
    watch.close(force=True)

change(10, 8, 0)
change(10, 9, 0)
change(10, 20, 0)
change(24, 20, 0)
change(24, 20, 90)

for rows in 10, 24:
    watch = start(rows, "--equexit", "4", "seq 20; wc -c <turns; printf . >>turns")
    print(f"--equexit, {rows} rows, change in line 21 at each turn:", "ends" if ends(watch, 15) else "waits on")
    watch.close(force=True)
END
env/bin/python look.py | tee seen
cat >expected <<'END'
--chgexit, 10 rows, change in line 8 at 0: ends
--chgexit, 10 rows, change in line 9 at 0: waits on
--chgexit, 10 rows, change in line 20 at 0: waits on
--chgexit, 24 rows, change in line 20 at 0: ends
--chgexit, 24 rows, change in line 20 at 90: waits on
--equexit, 10 rows, change in line 21 at each turn: ends
--equexit, 24 rows, change in line 21 at each turn: waits on
END
diff seen expected
