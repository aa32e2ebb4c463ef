#!/bin/sh
# watchfiles 1.3.0 (PyPI).
# Behaviour: `watch("config.yaml")` sends nothing when the folder is updated as the kubelet updates a
#   ConfigMap: the file is a link through `..data`, and `..data` is replaced by rename. A watch of the
#   folder sends changes of `..data` and of its target, never of `config.yaml`.
# Expected: the file that is watched has other content, so there is a change, or an error that links
#   are not followed.
# Who meets it: servers with --reload (uvicorn) and settings that are reloaded in a pod: they work
#   with a plain file on the developer's machine and never again in the cluster.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q watchfiles==1.3.0
cd "$work"
cat >swap.py <<'END'
import os, threading, watchfiles

os.makedirs("mount/..v1")
os.makedirs("mount/..v2")
for version in "12":
    with open(f"mount/..v{version}/config.yaml", "w") as file:
        file.write(f"version: {version}\n")
os.symlink("..v1", "mount/..data")
os.symlink("..data/config.yaml", "mount/config.yaml")

def watched(path, change):
    """The names of what changes until a file `done` beside it does, which ends the watch."""
    names = set()
    begun = threading.Event()
    def act():
        begun.wait()
        change()
        # What the swap caused comes before this, as inotify keeps the order.
        threading.Event().wait(1)
        stop.set()
    stop = threading.Event()
    threading.Thread(target=act).start()
    for changes in watchfiles.watch(path, stop_event=stop, yield_on_timeout=True, rust_timeout=300):
        begun.set()
        names |= {os.path.basename(name) for _, name in changes}
    return sorted(names)

def swap(to):
    os.symlink(to, "mount/..next")
    os.rename("mount/..next", "mount/..data")

print("file:", watched("mount/config.yaml", lambda: swap("..v2")), open("mount/config.yaml").read().strip())
seen = watched("mount", lambda: swap("..v1"))
print("folder names config.yaml:", "config.yaml" in seen, "names ..data:", "..data" in seen)
def write():
    with open("mount/..v1/config.yaml", "a") as file:
        file.write("more: 1\n")
print("written through the link:", watched("mount/config.yaml", write))
END
"$work/env/bin/python" swap.py | tee seen
cat >expected <<'END'
file: [] version: 2
folder names config.yaml: False names ..data: True
END
head -2 seen | diff - expected
