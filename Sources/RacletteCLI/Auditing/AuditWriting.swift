import Platform
import RunnerCore
import Scripting

extension Option {
  static let write = Option(
    name: .write, long: "write",
    help: "add what is missing to the definition, if it is written out where the command is defined"
  )
}

extension Option {
  static let absent = Option(
    name: .absent, long: "absent",
    help: "treat missing files that it looks for as sources, so that creating one makes it due")
}

/// Adds what an audit has found to the definition in the command file, which is replaced at once or left
/// as it is.
struct AuditWriting {
  private let command: ScriptCommand
  private let report: AuditReport

  init(_ command: ScriptCommand, _ report: AuditReport) {
    (self.command, self.report) = (command, report)
  }

  /// Why nothing was written.
  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// - Returns: what was written.
  func write() throws -> String {
    guard let position = command.position, let place = position.cut(atLast: ":"),
      let line = Int(place.after), let path = resolvedPath(String(place.before))
    else { throw Refusal(description: "'\(command.name)' is not defined in a file") }
    guard let content = fileContent(path) else {
      throw Refusal(description: "\(place.before): \(systemErrorText(errno))")
    }
    let fields = [FileField.sources, .outputs].filter { !report.additions($0).isEmpty }
    var edit = DefinitionEdit(content, line: line, name: command.name)
    do throws(DefinitionEdit.Refusal) {
      for field in fields {
        guard let known = command.writtenPatterns(of: field) else { throw .computed(field) }
        try edit.add(report.additions(field), to: field, having: known)
      }
    } catch {
      throw Refusal(
        description: "\(position): the definition of '\(command.name)' is left unchanged: \(error)")
    }
    try replace(path, with: edit.bytes)
    let names = fields.map { "'\($0.rawValue)'" }.joined(separator: " and ")
    return "added to \(names) of '\(command.name)' in \(position)"
  }

  private func replace(_ path: String, with bytes: [UInt8]) throws {
    var information = stat()
    let text = String(decoding: bytes, as: UTF8.self)
    guard lstat(path, &information) == 0, information.st_nlink == 1, Array(text.utf8) == bytes
    else {
      throw Refusal(
        description:
          "\(path) is left unchanged: it has several names (hard links), or is not UTF-8")
    }
    let name = try writeBeside(path, text)
    guard name.withCBytes({ chmod($0, information.st_mode & 0o7777) }) == 0,
      rename(name, path) == 0
    else {
      let code = errno
      unlink(name)
      throw UnwritableFile(path: path, code: code)
    }
  }
}
