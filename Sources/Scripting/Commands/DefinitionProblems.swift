import LuaRuntime
import Platform

/// What is wrong with the definition of a command: the first problem fails it, unless somebody wants to
/// know them all.
struct DefinitionProblems {
  private let host: ScriptHost

  init(_ host: ScriptHost) { self.host = host }

  /// The error that a problem is.
  func bad(_ problem: String) -> any Error {
    LuaArgumentError.value(at: 1, problem: problem)
  }

  /// A part of the definition; the fallback if it is wrong and all problems are wanted.
  func part<Part>(_ fallback: Part, _ read: () throws -> Part) throws -> Part {
    do { return try read() } catch {
      guard let report = host.onProblem else { throw error }
      report(host.problem(error))
      return fallback
    }
  }

  /// Reports keys that mean nothing, or that ask for more than scripts may do.
  func lookForUnknownKeys(
    in fields: TableFields, of record: APIRecord, _ place: String = ""
  ) throws {
    for problem in fields.unknownKeys(besides: record.keys) {
      try part(()) { throw bad(place + problem) }
    }
    for problem in fields.refusedKeys(of: record, host.interpreter) {
      try part(()) { throw bad(problem) }
    }
  }
}

extension TableFields {
  /// A text that is not empty; nil if the field is absent.
  func text(_ name: String, _ problems: DefinitionProblems) throws -> String? {
    switch self[name] {
    case .nil: return nil
    case .string(let text) where !text.isEmpty: return text.exactText
    case .string: throw problems.bad("field '\(name)' must not be empty")
    case let value: throw problems.bad("field '\(name)' must be a string, got \(value.type.name)")
    }
  }

  /// A name, which programs read in JSON: it has to be UTF-8.
  func name(_ field: String, _ problems: DefinitionProblems) throws -> String? {
    try text(field, problems).map { try checked($0, field, problems) }
  }

  /// A list of names.
  func names(_ field: String, _ problems: DefinitionProblems) throws -> [String] {
    try texts(field, problems).map { try checked($0, field, problems) }
  }

  private func checked(
    _ name: String, _ field: String, _ problems: DefinitionProblems
  ) throws -> String {
    guard !name.keepsBytes else {
      throw problems.bad("field '\(field)' must be UTF-8, got '\(name)'")
    }
    return name
  }

  /// A list of texts; an empty one if the field is absent.
  func texts(_ name: String, _ problems: DefinitionProblems) throws -> [String] {
    guard type(name) != .nil else { return [] }
    let texts = list(name).compactMap(\.stringValue?.exactText)
    guard type(name) == .table, texts.count == list(name).count else {
      throw problems.bad("field '\(name)' must be a list of strings")
    }
    return texts
  }
}
