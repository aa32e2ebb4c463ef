import LuaRuntime
import Platform

/// The problems with the definition of a command: the first one fails it, unless all are to be
/// reported.
struct DefinitionProblems {
  private let host: ScriptHost
  /// True if the first one always fails what is read.
  var areAlwaysFatal = false

  init(_ host: ScriptHost) { self.host = host }

  /// Returns the error for a problem.
  func bad(_ problem: String) -> any Error {
    LuaArgumentError.value(at: 1, problem: problem)
  }

  /// The end of a message about a field that lacks something: a name in it that nothing sets; empty if
  /// there is none.
  func hintAtUnsetName(in field: String) -> String { host.hintAtUnsetName(in: field) }

  /// Reads a part of the definition; returns the fallback if it is wrong and all problems are
  /// reported.
  func part<Part>(_ fallback: Part, _ read: () throws -> Part) throws -> Part {
    do { return try read() } catch {
      guard let report = host.reportMistake, !areAlwaysFatal else { throw error }
      host.mistakes += 1
      report(host.problem(error))
      return fallback
    }
  }

  /// Reports unknown keys, and keys that need a capability that scripts lack.
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
  /// Returns a text that is not empty; nil if the field is absent.
  func text(_ name: String, _ problems: DefinitionProblems) throws -> String? {
    switch self[name] {
    case .nil: return nil
    case .string(let text) where !text.isEmpty: return text.exactText
    case .string: throw problems.bad("field '\(name)' must not be empty")
    case let value: throw problems.bad("field '\(name)' must be a string, got \(value.type.name)")
    }
  }

  /// Returns a boolean; false if the field is absent.
  func bool(_ name: String, _ problems: DefinitionProblems) throws -> Bool {
    try bool(name, called: "field '\(name)'", problems.bad) ?? false
  }

  /// Returns a boolean; nil if the field is absent.
  ///
  /// - Parameter what: the field, as the subject of messages.
  func bool(
    _ name: String, called what: @autoclosure () -> String, _ bad: (String) -> any Error
  ) throws -> Bool? {
    switch self[name] {
    case .nil: return nil
    case .bool(let bool): return bool
    case let value: throw bad("\(what()) must be a boolean, got \(value.type.name)")
    }
  }

  /// Returns a name, which must be UTF-8 because programs read it in JSON.
  func name(_ field: String, _ problems: DefinitionProblems) throws -> String? {
    try text(field, problems).map { try checked($0, field, problems) }
  }

  /// Returns a list of names.
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

  /// Returns a list of texts; an empty one if the field is absent.
  func texts(_ name: String, _ problems: DefinitionProblems) throws -> [String] {
    guard type(name) != .nil else { return [] }
    let texts = list(name).compactMap(\.stringValue?.exactText)
    guard type(name) == .table, texts.count == list(name).count else {
      throw problems.bad("field '\(name)' must be a list of strings")
    }
    return texts
  }
}
