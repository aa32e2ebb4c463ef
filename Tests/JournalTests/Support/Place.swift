import Platform
import Testing

@testable import Journal

/// A temporary folder for a journal, which goes with the object.
final class Place: Sendable {
  let path: String
  var journal: String { path + "/journal.db" }

  init() {
    var template = Array("/tmp/raclette-journal-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { preconditionFailure("no temporary folder") }
    path = String(cString: made)
  }

  deinit {
    guard let folder = opendir(path) else { return }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      unlink("\(path)/\(name)")
    }
    closedir(folder)
    rmdir(path)
  }

  func open(fileSystem: String? = nil) throws -> Journal {
    try Journal(journal, isCreated: true, fileSystem: fileSystem)
  }

  /// The journal's database, to do to it what the journal never would.
  func database() throws -> Database {
    try Database(JournalFile(journal, isCreated: true), named: journal)
  }

  func write(_ text: String, to path: String) {
    guard let file = fopen(path, "we") else { preconditionFailure("cannot write \(path)") }
    fputs(text, file)
    fclose(file)
  }

  /// Overwrites bytes in the middle of the journal.
  func damage() {
    guard let file = fopen(journal, "r+e") else { preconditionFailure("no journal") }
    fseek(file, 4_096, SEEK_SET)
    let junk = [UInt8](repeating: 0xA5, count: 2_048)
    fwrite(junk, 1, junk.count, file)
    fclose(file)
  }
}

/// An entry whose content is a text.
func entry(_ content: String, name: String? = nil, line: Int = 1) -> PlanEntry {
  PlanEntry(
    key: EntryKey("command", content), kind: .command, command: "work", input: "\"\(content)\"",
    name: name, plan: "plan.jsonl", line: line)
}

extension Journal {
  @discardableResult
  func begin(_ kind: BatchKind = .batch) throws -> Int64 {
    try begin(
      BatchDescription(plan: "plan.jsonl", folder: "/", arguments: [], jobs: 1), as: kind)
  }

  func claim(_ contents: String...) throws -> [Claim] {
    try commit(claims: contents.map { entry($0) })
  }

  /// Claims an entry that must be free.
  func start(_ content: String) throws -> Int64 {
    let claims = try claim(content)
    guard case .granted(let execution) = claims[0] else {
      Issue.record("'\(content)' is not free: \(claims[0])")
      return 0
    }
    return execution
  }

  func end(_ executions: Int64..., state: RecordedState = .completed) throws {
    try commit(
      ends: executions.map {
        ExecutionEnd(execution: $0, state: state, started: 1, duration: 0.5)
      })
  }

  func executions(_ filter: ExecutionFilter = ExecutionFilter()) throws -> [RecordedExecution] {
    var executions: [RecordedExecution] = []
    try forEachExecution(filter) {
      executions.append($0)
      return true
    }
    return executions
  }
}
