#!/bin/sh
# watchfiles 1.3.0 and watchdog 7.1.0 (PyPI).
# Behaviour: the kernel drops events when its queue is full (fs.inotify.max_queued_events, 16384). For
#   `watch()` of watchfiles nothing has happened: no exception, no change that says to look again, and
#   most of the files never come. watchdog logs a warning, renews its watches, and sends no event for
#   the files either.
# Expected: inotify reports the overflow, so the library passes it on or lists the folder again.
# Who meets it: switching branches, unpacking or `npm install` with some ten thousand files while the
#   watcher's process is busy with a build: its list of files is wrong from then on.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/env"
"$work/env/bin/pip" install -q watchfiles==1.3.0 watchdog==7.1.0
cd "$work"
cat >watch.py <<'END'
import logging, os, sys, threading

folder, library = sys.argv[1:]
seen, ready, last = set(), os.path.join(folder, "ready"), os.path.join(folder, "last")
logging.basicConfig(format=f"{library} logs: %(message).25s...")

if library == "watchfiles":
    from watchfiles import watch
    for changes in watch(folder, step=10, debounce=50):
        seen.update(path for _, path in changes)
        if ready in seen and not os.path.exists("started"):
            open("started", "w").close()
        if last in seen:
            break
else:
    from watchdog.events import FileSystemEventHandler
    from watchdog.observers import Observer
    ended = threading.Event()

    class Handler(FileSystemEventHandler):
        def on_created(self, event):
            seen.add(event.src_path)
            if event.src_path == ready:
                open("started", "w").close()
            if event.src_path == last:
                ended.set()

    observer = Observer()
    observer.schedule(Handler(), folder)
    observer.start()
    ended.wait()
    observer.stop()

files = sum(name.isdigit() for name in os.listdir(folder))
print(f"{library}: {'all' if len(seen - {ready, last}) == files else 'some'} of the files")
END
limit=$(cat /proc/sys/fs/inotify/max_queued_events)
for library in watchfiles watchdog; do
  for files in 100 $((limit + 5000)); do
    rm -rf folder started
    mkdir folder
    "$work/env/bin/python" watch.py "$work/folder" $library >said 2>&1 &
    # A file is made until the watch has seen one.
    while [ ! -e started ]; do rm -f folder/ready; touch folder/ready; sleep 0.1; done
    kill -STOP $!
    (cd folder && seq "$files" | xargs touch)
    kill -CONT $!
    # The last file comes when there is room again.
    while kill -0 $! 2>/dev/null; do rm -f folder/last; touch folder/last; sleep 0.2; done
    wait $!
    if [ "$files" -gt 100 ]; then echo "more than fits the queue"; else echo "$files files"; fi
    sort -u said
  done
done | tee seen
cat >expected <<'END'
100 files
watchfiles: all of the files
more than fits the queue
watchfiles: some of the files
100 files
watchdog: all of the files
more than fits the queue
watchdog logs: Inotify queue overflowed;...
watchdog: some of the files
END
diff seen expected
