import EventLoop
import Platform
import RunnerCore

/// What the system lets the program do.
enum SystemExamination {
  static var findings: [Finding] {
    [shell, temporaryFolder, sharedFolder, processors, openFiles, memory, processes, watches]
      .compactMap { $0 }
  }

  /// The file that a program's name leads to; nil if there is none.
  static func path(ofProgram name: String) -> String? {
    let folders =
      name.contains("/")
      ? [""]
      : (environment("PATH") ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/" }
    return folders.map { $0 + name }.first { FileState($0).isFile && access($0, X_OK) == 0 }
  }

  private static var shell: Finding {
    access("/bin/sh", X_OK) == 0
      ? .ok("shell", "/bin/sh")
      : .problem(
        "shell", "/bin/sh, which executes the lines of commands, is missing",
        mend: "install a shell")
  }

  private static var temporaryFolder: Finding {
    let folder = environment("TMPDIR") ?? "/tmp"
    let state = FileState(folder)
    guard state.isFolder, state.isWritable else {
      return .warning(
        "temporary files", "\(folder) is not a writable folder",
        mend: "set TMPDIR to one")
    }
    return .ok("temporary files", folder)
  }

  private static var sharedFolder: Finding {
    let name = "machine-wide limits"
    let folder = UserFolder.shared
    guard let problem = folder.problem else { return .ok(name, folder.path) }
    return .warning(
      name, "\(folder.path) cannot be used: \(problem)", mend: "have it removed or renamed")
  }

  private static var processors: Finding {
    let (usable, present) = (Processors.usable, Processors.present)
    return .ok("processors", usable < present ? "\(usable) of \(present)" : "\(present)")
  }

  private static var openFiles: Finding {
    var limit = rlimit()
    guard getrlimit(descriptorLimit, &limit) == 0 else {
      return .ok("open files", "no known limit")
    }
    // A process that is started takes up to three descriptors.
    guard limit.rlim_cur < 256 else { return .ok("open files", "at most \(limit.rlim_cur)") }
    return .warning(
      "open files", "at most \(limit.rlim_cur), which many simultaneous processes may exceed",
      mend: "ulimit -n 1024")
  }

  private static var memory: Finding? {
    guard let limit = groupLimit("memory.max") else { return nil }
    let text = "at most \(limit >> 20) MiB for the control group"
    return limit >= 64 << 20
      ? .ok("memory", text)
      : .warning(
        "memory", text + ", which is low", mend: "raise the limit of the container or service")
  }

  private static var processes: Finding? {
    guard let limit = groupLimit("pids.max") else { return nil }
    let text = "at most \(limit) for the control group"
    return limit >= 64
      ? .ok("processes", text)
      : .warning(
        "processes", text + ", which is low",
        mend: "raise the limit of the container or service")
  }

  private static var watches: Finding? {
    guard let limit = number(in: "/proc/sys/fs/inotify/max_user_watches") else { return nil }
    guard limit < 8_192 else { return .ok("watched folders", "at most \(limit)") }
    return .warning(
      "watched folders", "at most \(limit), which --watch may exceed",
      mend: "sysctl fs.inotify.max_user_watches=65536, as root")
  }

  /// A limit of the control group that the process belongs to; nil if there is none.
  private static func groupLimit(_ name: String) -> Int? {
    guard let groups = text(of: "/proc/self/cgroup"),
      let line = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::") })
    else { return nil }
    return number(in: "/sys/fs/cgroup\(line.dropFirst(3))/\(name)")
  }

  private static func number(in path: String) -> Int? {
    text(of: path).flatMap { Int($0.prefix { $0.isNumber }) }
  }

  private static func text(of path: String) -> String? {
    fileContent(path).map { String(decoding: $0, as: UTF8.self) }
  }
}
