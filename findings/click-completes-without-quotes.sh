#!/bin/sh
# click 8.5.1 beside argcomplete 3.7.2 (PyPI; pexpect 4.9.0 types), bash 5.2 (Debian 12, installed).
# Behaviour: the completion of click puts a value into the line of bash as it is. After Tab `fast build` is two
#   arguments, `cost$1` loses its end, and `unit (slow)` is a syntax error. argcomplete quotes the value.
# Expected: what Tab has completed is one argument with the value that was offered, as for names of files.
# Who meets it: programs that complete names of tasks, tests, branches, titles or records: it works
#   for names of letters and digits, and for others the program is called with something else.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q click==8.5.1 argcomplete==3.7.2 pexpect==4.9.0
cd "$work"
export LC_ALL=C.UTF-8
mkdir bin
{ echo "#!$work/env/bin/python"; cat <<'END'
import sys, click
names = ["fast build", "cost$1", "plain", "unit (slow)"]

@click.command()
@click.argument("values", nargs=-1, shell_complete=lambda context, parameter, start:
                [name for name in names if name.startswith(start)])
def main(values):
    print("got", list(values))
main(prog_name="with-click")
END
} >bin/with-click
{ echo "#!$work/env/bin/python"; cat <<'END'
# PYTHON_ARGCOMPLETE_OK
import argparse, argcomplete
names = ["fast build", "cost$1", "plain", "unit (slow)"]
parser = argparse.ArgumentParser()
parser.add_argument("values", nargs="*").completer = argcomplete.ChoicesCompleter(names)
argcomplete.autocomplete(parser)
print("got", parser.parse_args().values)
END
} >bin/with-argcomplete
chmod +x bin/*
cat >type.py <<'END'
import os, pexpect

path = f"{os.getcwd()}/bin:{os.getcwd()}/env/bin:{os.environ['PATH']}"
shell = pexpect.spawn("bash --norc --noprofile -i", encoding="utf8", timeout=20, dimensions=(24, 200),
                      env={**os.environ, "PS1": "ready> ", "PATH": path, "TERM": "dumb"})

def line(text):
    shell.expect_exact("ready> ")
    shell.sendline(text)

line("bind 'set enable-bracketed-paste off'")
line('eval "$(_WITH_CLICK_COMPLETE=bash_source with-click)"')
line('eval "$(register-python-argcomplete with-argcomplete)"')
for program in "with-click", "with-argcomplete":
    for start, whole in ("pl", "plain"), ("fa", "fast build"), ("co", "cost$1"), ("un", "unit (slow)"):
        shell.expect_exact("ready> ")
        shell.send(f"{program} {start}\t")
        shell.expect_exact(whole[-1])
        shell.sendline("")
        shell.expect(r"got .*\r\n|syntax error.*\r\n|Error.*\r\n")
        print(f"{program}, {whole}: {shell.after.strip()}")
shell.close(force=True)
END
timeout 100 env/bin/python type.py | tee seen
cat >expected <<'END'
with-click, plain: got ['plain']
with-click, fast build: got ['fast', 'build']
with-click, cost$1: got ['cost']
with-click, unit (slow): syntax error near unexpected token `('
with-argcomplete, plain: got ['plain']
with-argcomplete, fast build: got ['fast build']
with-argcomplete, cost$1: got ['cost$1']
with-argcomplete, unit (slow): got ['unit (slow)']
END
diff seen expected
