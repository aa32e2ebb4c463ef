import Journal
import Platform
import Scripting

/// The states of commands in `.raclette/state.db`, in the folder of the command file. A file that
/// cannot be used costs executions, and never a wrong answer. On the loop's thread.
///
/// Only an execution begins a file. If the one that is there is of another version, the new one gets
/// a name of its own, so that two versions in one folder do not undo each other; if it is damaged, it
/// is renamed.
package final class CommandStates: StateStore {
  package static let path = KeptFolder.path("state.db")
  /// The name for a file beside one of another version.
  private static let ownPath = KeptFolder.path("state-\(StateFile.version).db")

  package private(set) lazy var identity = resolvedPath(".") ?? "."
  private let report: Report
  private var file: StateFile?
  /// The path of the file that was opened last, and its inode.
  private var opened: (path: String, inode: UInt64?) = (CommandStates.path, nil)
  /// True once damage to that file was found.
  private var isDamaged = false
  private var hasToldNew = false
  /// True once a problem was reported that nothing can be done about.
  private var isUnusable = false

  init(_ report: Report) { self.report = report }

  package func state(of key: [UInt8]) -> StoredState? {
    let entry = attempt { file throws(JournalError) in try file.entry(of: key) }
    return (entry ?? nil).map {
      StoredState(token: $0.token, record: $0.record, reason: $0.reason, used: $0.used)
    }
  }

  package func begin(_ key: [UInt8], _ record: [UInt8]?, reason: String) -> Int64? {
    if file == nil { attempt { _ in } }
    if file == nil, !isUnusable { create() }
    let begin = { (file: StateFile) throws(JournalError) in
      try file.begin(key, record, reason: reason)
    }
    let token = attempt(begin)
    guard isDamaged else { return token }
    create()
    return attempt(begin)
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

  /// Closes the file, so that no commits stay beside it.
  func close() { file = nil }

  /// Calls `body` with the file, if there is one that can be used.
  @discardableResult
  private func attempt<Value>(
    _ body: (StateFile) throws(JournalError) -> Value
  ) -> Value? {
    guard !isUnusable, !isDamaged else { return nil }
    do {
      guard let file = try existing() else { return nil }
      return try body(file)
    } catch {
      note(error)
      return nil
    }
  }

  private func note(_ error: JournalError) {
    file = nil
    guard let problem = Self.damage(error) else { return giveUp(Self.reason(error)) }
    isDamaged = true
    tellNew(problem)
  }

  /// Opens the file that is there; nil if there is none, or one of another version only.
  private func existing() throws(JournalError) -> StateFile? {
    if let file { return file }
    do {
      return try open(Self.path)
    } catch {
      guard let version = Self.otherVersion(error) else { throw error }
      if let own = try open(Self.ownPath) { return own }
      tellNew(version)
      return nil
    }
  }

  private func open(_ path: String) throws(JournalError) -> StateFile? {
    guard access(path, F_OK) == 0 else { return nil }
    return try open(path, isCreated: false)
  }

  private func open(_ path: String, isCreated: Bool) throws(JournalError) -> StateFile {
    opened = (path, StateFile.inode(path))
    let file = try StateFile(path, isCreated: isCreated)
    opened.inode = opened.inode ?? StateFile.inode(path)
    self.file = file
    return file
  }

  /// Begins a file, because an execution begins.
  private func create() {
    if isDamaged, let inode = opened.inode, !StateFile.setAside(opened.path, inode: inode) {
      return giveUp("cannot rename it: \(systemErrorText(errno))")
    }
    isDamaged = false
    let code = KeptFolder.make(KeptFolder.name)
    guard code == 0 else { return giveUp(systemErrorText(code)) }
    do throws(JournalError) {
      do throws(JournalError) {
        _ = try open(Self.path, isCreated: true)
      } catch {
        guard Self.otherVersion(error) != nil else { throw error }
        _ = try open(Self.ownPath, isCreated: true)
      }
    } catch { giveUp(Self.reason(error)) }
  }

  /// Reports once that the next execution begins a new file.
  private func tellNew(_ problem: String) {
    guard !hasToldNew else { return }
    hasToldNew = true
    report.log(
      .warn,
      "the states of commands in '\(opened.path)' cannot be used (\(problem)); the next execution "
        + "starts a new file next to it, so every command runs once more")
  }

  private func giveUp(_ reason: String) {
    guard !isUnusable else { return }
    isUnusable = true
    file = nil
    report.log(
      .warn,
      "the states of commands in '\(opened.path)' cannot be used (\(reason)); commands are executed "
        + "whether or not they are up to date")
  }

  /// What is wrong with the file, which is no journal.
  private static func reason(_ error: JournalError) -> String {
    switch error {
    case .missing: "it was removed"
    case .unavailable(_, let reason): reason
    case .noLocks: "its file system does not support locks"
    case .readOnly: "it is read-only"
    case .readOnlyFileSystem: "its file system is read-only"
    case .noFile: "it is not a file"
    case .severalNames(_, let count): "it has \(count) names (hard links)"
    case .mountedAlone: "it is mounted without its folder"
    case .full: "the disk is full"
    case .busy: "another program has locked it"
    case .foreign: "it is a database of another program"
    default: "\(error)"
    }
  }

  /// What makes a file worthless; nil for what may pass, or is no file of ours.
  private static func damage(_ error: JournalError) -> String? {
    switch error {
    case .damaged(_, let detail): "it is damaged: \(detail)"
    case .damagedRecord(_, _, let detail): "it is damaged: \(detail)"
    case .noDatabase: "it is not an SQLite database"
    default: nil
    }
  }

  /// The version of a file that another version of the program uses.
  private static func otherVersion(_ error: JournalError) -> String? {
    switch error {
    case .older(_, let version): "it has the earlier version \(version)"
    case .newer(_, let version, let known):
      "it has version \(version), and this program knows \(known)"
    default: nil
    }
  }
}
