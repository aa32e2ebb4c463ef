#!/bin/sh
# Foundation of Swift 6.3.1 on Linux beside subprocess of Python 3.11 (installed).
# Behaviour: `Process` starts each child in a process group of its own, which is not the terminal's foreground group. A
#   Ctrl-C ends the Swift program and does not reach the child, which goes on without a parent. A child that reads from
#   the terminal is stopped at that moment, by TTIN: `waitUntilExit` waits, and nobody gets the line that is typed. No
#   property of `Process` changes it. A child of Python's subprocess is in the program's group: Ctrl-C ends it, and
#   it reads the line.
# Expected: a child stays in its parent's group unless it is told otherwise, as with posix_spawn and subprocess.
# Who meets it: tools in Swift that start a compiler, a server, ssh, git or an editor: the server keeps its port after
#   Ctrl-C, a question for a password hangs, and a supervisor that signals the group of the tool misses what the tool
#   has started. With output to a file and input from /dev/null, as in tests and CI, nothing of it shows.
set -eu
command -v swiftc >/dev/null || { echo "swiftc is missing" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >start.swift <<'END'
import Foundation

let process = Process()
process.executableURL = URL(fileURLWithPath: "/bin/sh")
process.arguments = ["-c", CommandLine.arguments[1]]
try process.run()
process.waitUntilExit()
END
swiftc start.swift -o start
cat >start.py <<'END'
import subprocess, sys
subprocess.Popen(["/bin/sh", "-c", sys.argv[1]]).wait()
END
cat >terminal.py <<'END'
import os, pathlib, pty, signal, sys, threading, time

def until(condition):
    end = time.monotonic() + 20
    while not condition():
        if time.monotonic() > end:
            sys.exit("waited too long")
        time.sleep(0.02)

def state(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return "gone"

def terminal(program, command, typed, settled):
    """Starts the program in a terminal, below a shell that stays there, and types when its child is there."""
    child, ended = pathlib.Path("child"), pathlib.Path("ended")
    shell, screen = pty.fork()
    if shell == 0:
        os.execvp("sh", ["sh", "-c", 'trap : INT; "$@"; echo >ended; sleep 60', "sh", *program, command])
    def read():
        try:
            while os.read(screen, 1000):
                pass
        except OSError:
            pass
    threading.Thread(target=read, daemon=True).start()
    until(lambda: child.exists() and child.read_text().endswith("\n"))
    process = int(child.read_text())
    if typed == b"\x03":
        time.sleep(0.2)
    os.write(screen, typed)
    until(lambda: settled(process, ended))
    time.sleep(0.3)
    found = state(process)
    for victim in process, shell:
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            pass
    os.waitpid(shell, 0)
    child.unlink()
    ended.unlink(missing_ok=True)
    return found

for name, program in ("Swift", ["./start"]), ("Python", ["python3", "start.py"]):
    found = terminal(program, "echo $$ >child; exec sleep 60", b"\x03", lambda _, ended: ended.exists())
    print(f"{name}, Ctrl-C: the child is {'gone' if found == 'gone' else 'still there'}")
    answer = pathlib.Path("answer")
    found = terminal(program, "echo $$ >child; read line; echo $line >answer; exec sleep 60", b"yes\n",
                     lambda process, _: answer.exists() or state(process) == "T")
    read = answer.read_text().strip() if answer.exists() else "nothing"
    answer.unlink(missing_ok=True)
    print(f"{name}, a question: the child {'is stopped' if found == 'T' else 'goes on'} and has read {read}")
END
python3 terminal.py 2>/dev/null | tee seen
cat >expected <<'END'
Swift, Ctrl-C: the child is still there
Swift, a question: the child is stopped and has read nothing
Python, Ctrl-C: the child is gone
Python, a question: the child goes on and has read yes
END
diff seen expected
