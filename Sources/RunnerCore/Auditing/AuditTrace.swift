import Platform

/// The trace of a runner that executes a command: what belongs to the command, in the order of the
/// calls, and which of it is left.
///
/// A process of the runner belongs to the command if the runner says so, or if it says nothing of it
/// and started it while the command worked, as `os.execute` does. Its descendants belong to it,
/// wherever they are. What the runner itself opens meanwhile belongs to Lua functions of the command.
package struct AuditTrace {
  private struct Process {
    var folder: String
    /// The index of its group; nil for the runner.
    var group: Int?
  }

  private struct Group {
    let leader: Int32
    /// What the runner has said of it.
    var isAudited: Bool?
    let beganInWork: Bool
  }

  private enum Action {
    case read, write, remove, rename, list, look, execute, miss, madeFolder, connect
  }

  /// An event with the numbers of its paths.
  private struct Step {
    let group: Int32
    let action: Action
    let path: Int32
    let other: Int32
  }

  private static let runnerGroup: Int32 = -1

  private var reader = StraceReader()
  private var runner: Int32?
  private var processes: [Int32: Process] = [:]
  /// The events of processes whose start is not reported yet.
  private var early: [Int32: [TracedEvent]] = [:]
  private var groups: [Group] = []
  private var steps: [Step] = []
  private var numbers: [String: Int32] = [:]
  private var paths: [String] = []
  /// The paths as they were given, of files that have another one.
  private var aliases: [Int32: String] = [:]
  private var isAtWork = false
  private var modules: Set<String> = []
  private let folder: String

  /// - Parameter folder: where the runner begins.
  package init(from folder: String) { self.folder = folder }

  /// True once the tracer has reported something.
  package var hasBegun: Bool { runner != nil }

  /// Adds what the tracer has written.
  package mutating func add(_ chunk: some Sequence<UInt8>) {
    var events: [(Int32, TracedEvent)] = []
    reader.read(chunk) { events.append(($0, $1)) }
    for (process, event) in events { take(event, of: process) }
  }

  private mutating func take(_ event: TracedEvent, of process: Int32) {
    if runner == nil {
      runner = process
      processes[process] = Process(folder: folder)
    }
    guard var known = processes[process] else {
      early[process, default: []].append(event)
      return
    }
    if process == runner, case .blocked(let path) = event, let mark = AuditMark(path: path.text) {
      return note(mark)
    }
    if case .began(let child, let isThread) = event {
      return begin(child, isThread: isThread, by: process, known)
    }
    if case .entered(let path) = event {
      known.folder = absolute(path, known)
      processes[process] = known
      return
    }
    // Other threads of the runner compare sources and outputs.
    guard known.group != nil || process == runner && isAtWork else { return }
    record(event, known)
  }

  private mutating func note(_ mark: AuditMark) {
    switch mark {
    case .begin: isAtWork = true
    case .end: isAtWork = false
    case .module(let path): modules.insert(absolute(TracedPath(path), Process(folder: folder)))
    case .group(let leader, let isAudited):
      guard let index = groups.lastIndex(where: { $0.leader == leader }) else { return }
      groups[index].isAudited = isAudited
    }
  }

  private mutating func begin(
    _ child: Int32, isThread: Bool, by parent: Int32, _ known: Process
  ) {
    var process = known
    if known.group == nil, !isThread {
      process.group = groups.count
      groups.append(Group(leader: child, isAudited: nil, beganInWork: isAtWork))
    }
    processes[child] = process
    for event in early.removeValue(forKey: child) ?? [] { take(event, of: child) }
  }

  private mutating func record(_ event: TracedEvent, _ process: Process) {
    let group = process.group.map(Int32.init) ?? Self.runnerGroup
    func step(_ action: Action, _ path: Int32, _ other: Int32 = 0) {
      steps.append(Step(group: group, action: action, path: path, other: other))
    }
    switch event {
    case .opened(let path, let real, let reads, let writes):
      let number = number(of: real)
      let given = absolute(path, process)
      if given != real { aliases[number] = given }
      if reads { step(.read, number) }
      if writes { step(.write, number) }
    case .missed(let path): step(.miss, number(of: path, process))
    // The runner looks for files itself.
    case .sought(let path): if process.group != nil { step(.miss, number(of: path, process)) }
    case .executed(let path): step(.execute, number(of: path, process))
    case .made(let path): step(.write, number(of: path, process))
    case .madeFolder(let path): step(.madeFolder, number(of: path, process))
    case .renamed(let path, let target):
      step(.rename, number(of: path, process), number(of: target, process))
    case .removed(let path): step(.remove, number(of: path, process))
    case .listed(let path): if process.group != nil { step(.list, number(of: path)) }
    case .looked(let path): if process.group != nil { step(.look, number(of: path, process)) }
    case .connected(let address): step(.connect, number(of: address))
    case .blocked, .entered, .began: break
    }
  }

  private func absolute(_ path: TracedPath, _ process: Process) -> String {
    let text =
      path.text.hasPrefix("/") ? path.text : "\(path.folder ?? process.folder)/\(path.text)"
    var names: [Substring] = []
    for name in text.split(separator: "/") where name != "." {
      if name == ".." { _ = names.popLast() } else { names.append(name) }
    }
    return "/" + names.joined(separator: "/")
  }

  private mutating func number(of path: TracedPath, _ process: Process) -> Int32 {
    number(of: absolute(path, process))
  }

  private mutating func number(of path: String) -> Int32 {
    if let number = numbers[path] { return number }
    let number = Int32(paths.count)
    numbers[path] = number
    paths.append(path)
    return number
  }

  /// Returns what the command has done, once the trace has ended.
  ///
  /// - Parameter definition: the files that the runner reads to know the command.
  package mutating func findings(definition: [String]) -> AuditFindings {
    for (process, events) in early {
      begin(process, isThread: false, by: runner ?? 0, Process(folder: folder))
      for event in events { take(event, of: process) }
    }
    early = [:]
    let own = modules.union(definition)
    var uses = FileUses()
    var findings = AuditFindings()
    var missed: Set<Int32> = []
    for step in steps where isAudited(step) {
      let path = paths[Int(step.path)]
      switch step.action {
      case .read:
        if step.group == Self.runnerGroup, own.contains(path) { continue }
        uses.read(step.path)
      case .execute:
        findings.programs.insert(path)
        uses.read(step.path)
      case .write: uses.write(step.path)
      case .remove: uses.remove(step.path)
      case .madeFolder:
        findings.madeFolders.insert(path)
        uses.makeFolder(step.path)
      case .rename:
        uses.move(step.path, to: step.other, isFolder: isFolder(step.other)) { [paths] in
          paths[Int($0)]
        } number: {
          number(of: $0)
        }
      case .list: findings.listed.insert(path)
      case .look: uses.look(step.path)
      case .miss: missed.insert(step.path)
      case .connect: findings.addresses.insert(path)
      }
    }
    for (number, use) in uses.all {
      let path = paths[Int(number)]
      let file = AuditFindings.File(path: path, given: alias(of: number, uses))
      if use.isDeleted, !path.exists { findings.deleted.append(file) }
      if use.isWritten, Self.isFile(path) {
        findings.written.append(file)
      } else if use.isRead, !isFolder(number) {
        findings.read.append(file)
      } else if use.isLookedAt, Self.isFile(path), !own.contains(path) {
        findings.examined.append(file)
      }
    }
    findings.missed = Set(
      missed.filter { isAbsent($0, uses, findings.madeFolders) }.map { paths[Int($0)] })
    findings.read.sort { $0.path < $1.path }
    findings.written.sort { $0.path < $1.path }
    findings.deleted.sort { $0.path < $1.path }
    findings.examined.sort { $0.path < $1.path }
    return findings
  }

  /// True if nothing is at a path, and nothing was there because of the command itself.
  private func isAbsent(_ number: Int32, _ uses: FileUses, _ made: Set<String>) -> Bool {
    let path = paths[Int(number)]
    return uses.all[number]?.wasWritten != true && !path.exists
      && !path.foldersAbove.contains(where: made.contains)
  }

  /// The path by which a file was opened, unless it leads through a link that the command has made.
  private func alias(of number: Int32, _ uses: FileUses) -> String? {
    guard let alias = aliases[number], Self.isFile(alias) else { return nil }
    return numbers[alias].flatMap { uses.all[$0] }?.isWritten == true ? nil : alias
  }

  private func isAudited(_ step: Step) -> Bool {
    guard step.group != Self.runnerGroup else { return true }
    let group = groups[Int(step.group)]
    return group.isAudited ?? group.beganInWork
  }

  private func isFolder(_ number: Int32) -> Bool {
    var information = stat()
    return stat(paths[Int(number)], &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
  }

  /// True if there is a file or a link, rather than a folder, a device or nothing.
  private static func isFile(_ path: String) -> Bool {
    var information = stat()
    guard lstat(path, &information) == 0 else { return false }
    return [S_IFREG, S_IFLNK].contains(information.st_mode & S_IFMT)
  }
}

/// What a command has done, by absolute paths in the order of the alphabet.
package struct AuditFindings: Sendable {
  package struct File: Sendable {
    /// The path without symbolic links.
    package let path: String
    /// The path as it was given, if it is another one.
    package let given: String?

    package init(path: String, given: String?) {
      self.path = path
      self.given = given
    }
  }

  /// The files that it has read, and not written before.
  package var read: [File] = []
  /// The files that it has written and that are left.
  package var written: [File] = []
  /// The files and folders that were there and that it has removed.
  package var deleted: [File] = []
  /// The files of which it has asked whether they are there, how large or how old they are, without
  /// reading them.
  package var examined: [File] = []
  package var listed: Set<String> = []
  package var madeFolders: Set<String> = []
  package var programs: Set<String> = []
  /// The paths that it has tried to open, or asked about, where nothing was or is. What it made itself
  /// is not among them, nor what is in folders that it made.
  package var missed: Set<String> = []
  package var addresses: Set<String> = []
}

extension String {
  /// The folders that lead to a path, the outermost first.
  package var foldersAbove: [String] {
    indices.filter { self[$0] == "/" && $0 > startIndex }.map { String(self[..<$0]) }
  }
}
