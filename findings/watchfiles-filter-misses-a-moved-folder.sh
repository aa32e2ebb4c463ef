#!/bin/sh
# watchfiles 1.3.0 and watchdog 7.1.0 (PyPI).
# Behaviour: a folder of sources that is renamed into, within or out of the watched tree is for
#   watchfiles one change of the folder, none of its files. `PythonFilter`, which looks at the end of
#   the name, drops it: nothing is reported, while `rm -r` of that folder is. watchdog reports each file
#   on the way in and only the folder on the way out.
# Expected: the files in it were added or deleted, as they are for copies, so a filter by suffix sees
#   them.
# Who meets it: runners that restart at `*.py`: `mv` of a package, a switch of worktrees, an unpacked
#   archive that is renamed into place; the old code goes on running.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q watchfiles==1.3.0 watchdog==7.1.0
cd "$work"
cat >move.py <<'END'
import os, shutil, threading, watchfiles
from watchdog.events import FileSystemEventHandler
from watchdog.observers import Observer

os.makedirs("tree")
os.makedirs("package")
open("package/module.py", "w").close()

def notify(change):
    """The changes of Python files that watchfiles reports."""
    names, begun, stop = set(), threading.Event(), threading.Event()
    def act():
        begun.wait()
        change()
        # What the change caused comes before this, as inotify keeps the order.
        threading.Event().wait(1)
        stop.set()
    threading.Thread(target=act).start()
    for changes in watchfiles.watch("tree", watch_filter=watchfiles.PythonFilter(), stop_event=stop,
                                    yield_on_timeout=True, rust_timeout=300):
        begun.set()
        names |= {(kind.name, os.path.basename(path)) for kind, path in changes}
    return sorted(names)

def dog(change):
    """The same for watchdog."""
    seen = set()
    class Handler(FileSystemEventHandler):
        def on_any_event(self, event):
            if event.event_type in ("created", "deleted", "moved") and event.src_path.endswith(".py"):
                seen.add((event.event_type, os.path.basename(event.src_path)))
    observer = Observer()
    observer.schedule(Handler(), "tree", recursive=True)
    observer.start()
    change()
    threading.Event().wait(1)
    observer.stop()
    observer.join()
    return sorted(seen)

for report in notify, dog:
    print(report.__name__, "in", report(lambda: os.rename("package", "tree/package")))
    print(report.__name__, "within", report(lambda: os.rename("tree/package", "tree/other")))
    print(report.__name__, "out", report(lambda: os.rename("tree/other", "package")))
    shutil.copytree("package", "tree/copy")
    print(report.__name__, "removed", report(lambda: shutil.rmtree("tree/copy")))
END
"$work/env/bin/python" move.py | tee seen
cat >expected <<'END'
notify in []
notify within []
notify out []
notify removed [('deleted', 'module.py')]
dog in [('created', 'module.py')]
dog within [('moved', 'module.py')]
dog out []
dog removed [('deleted', 'module.py')]
END
diff seen expected
