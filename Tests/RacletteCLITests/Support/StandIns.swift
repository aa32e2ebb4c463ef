import Platform

/// Programs that stand in for those which the documentation names and a machine may lack. They are in the
/// folder `.bin`, which `shell` searches first.
enum StandIns {
  private static let programs = [
    // Those of less than a second take no time, the others last until there is a file `go`.
    "sleep": """
    case $1 in 0.*) exit ;; esac
    while [ ! -e go ]; do /bin/sleep 0.01; done
    """,
    "psql": "echo psql as $PGAPPNAME in ${PWD##*/}, with a password of ${#PGPASSWORD} letters",
    "pytest": "echo pytest $*",
    "rsync": "echo rsync $*",
    "journalctl": """
    for n in 1 2 3 4 5 6 7 8 9 10 11; do echo service $n: up; echo service $n: an error; done
    exec /bin/sleep 1000
    """,
    "git": "echo main",
    "make": "echo make: no target >&2; exit 2",
  ]

  static func write(_ names: [String], to folder: Folder) {
    for name in names {
      folder.write("#!/bin/sh\n\(programs[name] ?? "exit 127")\n", to: ".bin/\(name)")
      chmod(folder[".bin/\(name)"], 0o755)
    }
  }

  /// The PATH on which they come first.
  static func path(in folder: Folder) -> String {
    "\(folder[".bin"]):" + (getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin")
  }
}
