#!/bin/sh
# watchdog 7.1.0 beside 6.0.0 (PyPI).
# Behaviour: since 7 a pattern must match the whole path of the event, so `*.py` matches nothing in
#   the folder that is watched, not even at its top, and as an ignored pattern ignores nothing. It
#   needs `**/*.py`. There is no warning, and `watchmedo --patterns='*.py'` is silent likewise.
# Expected: `*.py` means each Python file, as in 6, or a pattern that can match no path is refused.
# Who meets it: runners that restart at changes and have no upper limit for watchdog: after an update
#   they start, look healthy and never restart; those that ignore their own outputs loop.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >events.py <<'END'
import os, sys, threading
from watchdog.events import PatternMatchingEventHandler
from watchdog.observers import Observer

names = "top.py", "deep/in.py", "deep/out.log"
os.makedirs("tree/deep", exist_ok=True)

def created(**patterns):
    seen = set()
    class Handler(PatternMatchingEventHandler):
        def on_created(self, event):
            seen.add(os.path.relpath(event.src_path, "tree"))
    observer = Observer()
    observer.schedule(Handler(**patterns), "tree", recursive=True)
    observer.start()
    for name in names:
        open(f"tree/{name}", "w").close()
    threading.Event().wait(1)
    observer.stop()
    observer.join()
    for name in names:
        os.remove(f"tree/{name}")
    return sorted(seen)

for patterns in {"patterns": ["*.py"]}, {"patterns": ["**/*.py"]}, {"ignore_patterns": ["*.log"]}:
    print(sys.argv[1], patterns, created(**patterns))
END
for version in 6.0.0 7.1.0; do
  python3 -m venv "$version"
  "$version/bin/pip" install -q "watchdog==$version"
  "$version/bin/python" events.py "$version"
done | tee seen
cat >expected <<'END'
6.0.0 {'patterns': ['*.py']} ['deep/in.py', 'top.py']
6.0.0 {'patterns': ['**/*.py']} ['deep/in.py', 'top.py']
6.0.0 {'ignore_patterns': ['*.log']} ['deep/in.py', 'top.py']
7.1.0 {'patterns': ['*.py']} []
7.1.0 {'patterns': ['**/*.py']} ['deep/in.py', 'top.py']
7.1.0 {'ignore_patterns': ['*.log']} ['deep/in.py', 'deep/out.log', 'top.py']
END
diff seen expected
