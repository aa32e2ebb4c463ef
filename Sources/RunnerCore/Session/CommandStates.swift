import Journal
import Platform
import Scripting

/// The states of commands in `.raclette/state.db`, in the folder of the command file. A file that
/// cannot be used costs executions, and never a wrong answer. On the loop's thread.
package final class CommandStates: StateStore {
  package static let folder = ".raclette"
  package static let path = folder + "/state.db"

  private let report: Report
  private var file: StateFile?
  private var inode: UInt64?
  /// True once a problem was reported that nothing can be done about.
  private var isUnusable = false

  init(_ report: Report) { self.report = report }

  package func state(of key: [UInt8]) -> StoredState? {
    guard file != nil || access(Self.path, F_OK) == 0 else { return nil }
    let entry = attempt { file throws(JournalError) in try file.entry(of: key) }
    return (entry ?? nil).map {
      StoredState(token: $0.token, record: $0.record, reason: $0.reason, used: $0.used)
    }
  }

  package func begin(_ key: [UInt8]) -> Int64? {
    if file == nil, !isUnusable, mkdir(Self.folder, 0o777) != 0, errno != EEXIST {
      return giveUp(systemErrorText(errno))
    }
    return attempt(isCreated: true) { file throws(JournalError) in try file.begin(key) }
  }

  package func finish(_ key: [UInt8], _ token: Int64, _ record: [UInt8]?, reason: String?) {
    attempt { file throws(JournalError) in
      try file.finish(key, token, record, reason: reason)
    }
  }

  package func refresh(_ key: [UInt8], _ token: Int64, _ record: [UInt8]) {
    attempt { file throws(JournalError) in try file.refresh(key, token, record) }
  }

  package func touch(_ key: [UInt8]) {
    attempt { file throws(JournalError) in try file.touch(key) }
  }

  /// Calls `body` with the file; if that is damaged or of a later version, with a new one.
  @discardableResult
  private func attempt<Value>(
    isCreated: Bool = false, _ body: (StateFile) throws(JournalError) -> Value
  ) -> Value? {
    if isUnusable { return nil }
    do { return try body(try open(isCreated)) } catch {
      guard let problem = Self.reasonToRebuild(error) else { return giveUp(Self.reason(error)) }
      report.log(
        .warn,
        "the states of commands in '\(Self.path)' cannot be used (\(problem)); they are begun anew, "
          + "and every command is executed once more")
      file = nil
      guard let inode, StateFile.discard(Self.path, inode: inode) else {
        return giveUp("cannot remove it: \(systemErrorText(errno))")
      }
      self.inode = nil
      do { return try body(try open(true)) } catch { return giveUp(Self.reason(error)) }
    }
  }

  private func open(_ isCreated: Bool) throws(JournalError) -> StateFile {
    if let file { return file }
    inode = StateFile.inode(Self.path)
    let file = try StateFile(Self.path, isCreated: isCreated)
    self.file = file
    inode = inode ?? StateFile.inode(Self.path)
    return file
  }

  private func giveUp<Value>(_ reason: String) -> Value? {
    isUnusable = true
    file = nil
    report.log(
      .warn,
      "the states of commands in '\(Self.path)' cannot be used (\(reason)); commands are executed "
        + "whether or not they are up to date")
    return nil
  }

  /// What is wrong with the file, which is no journal.
  private static func reason(_ error: JournalError) -> String {
    switch error {
    case .missing: "it was removed"
    case .unavailable(_, let reason): reason
    case .readOnly: "it is read-only"
    case .readOnlyFileSystem: "its file system is read-only"
    case .noFile: "it is no file"
    case .severalNames(_, let count): "it has \(count) names (hard links)"
    case .mountedAlone: "it is mounted without its folder"
    case .full: "the disk is full"
    case .busy: "another program holds it"
    case .foreign: "it is a database of another program"
    default: "\(error)"
    }
  }

  /// What makes a file worthless; nil for what may pass, or is no file of ours.
  private static func reasonToRebuild(_ error: JournalError) -> String? {
    switch error {
    case .damaged(_, let detail): "damaged: \(detail)"
    case .damagedRecord(_, _, let detail): "damaged: \(detail)"
    case .noDatabase: "no SQLite database"
    case .older(_, let version): "of the earlier version \(version)"
    case .newer(_, let version, let known): "of version \(version), and this program knows \(known)"
    default: nil
    }
  }
}
