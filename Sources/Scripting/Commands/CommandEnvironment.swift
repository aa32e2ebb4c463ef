import LuaRuntime
import Platform

/// The environment of a command: its folder, the variables of its processes, and its secrets.
struct CommandEnvironment: Sendable {
  /// The folder, relative to the folder of the command file.
  var directory: String?
  var variables: [EnvironmentChange] = []
  /// Files with variables that the environment does not set yet.
  var variableFiles: [String] = []
  /// The names of variables and parameters whose values must not be shown.
  var secrets: [String] = []
  /// True if its processes own the terminal.
  var isInteractive = false
  /// True if each of its processes has a pseudo-terminal of its own.
  var hasTerminal = false

  init() {}

  init(_ fields: TableFields, _ problems: DefinitionProblems) throws {
    let bad = problems.bad
    directory = try problems.part(nil) { try Self.path(fields, "cwd", bad) }
    variables = try problems.part([]) {
      guard fields.type("env") != .nil else { return [] }
      return try fields.variables("env", called: "field 'env'", bad)
    }
    variableFiles = try problems.part([]) {
      guard fields.type("env_file") != .table else { return try fields.texts("env_file", problems) }
      return try Self.path(fields, "env_file", bad).map { [$0] } ?? []
    }
    secrets = try problems.part([]) { try fields.texts("secrets", problems) }
    isInteractive = try problems.part(false) { try fields.bool("interactive", problems) }
    hasTerminal = try problems.part(false) {
      let hasTerminal = try fields.bool("tty", problems)
      if hasTerminal, isInteractive {
        throw bad("the fields 'tty' and 'interactive' exclude each other")
      }
      return hasTerminal
    }
  }

  private static func path(
    _ fields: TableFields, _ name: String, _ bad: (String) -> any Error
  ) throws -> String? {
    switch fields[name] {
    case .nil: return nil
    case .string(let text) where !text.isEmpty && !text.bytes.contains(0): return text.exactText
    case let value: throw bad("field '\(name)' must be a path, got \(value.type.name)")
    }
  }

  /// Checks that its files of variables can be read.
  ///
  /// - Throws: `Failure` for the first that cannot.
  func check() throws(Failure) {
    for file in variableFiles {
      _ = try EnvironmentFile.read(file)
    }
  }

  /// Returns the working context of an execution that begins now.
  ///
  /// - Throws: `Failure` for a file of variables that cannot be read.
  func place() throws -> ProcessContext {
    var place = ProcessContext()
    place.directory = directory?.exactBytes
    place.isInteractive = isInteractive
    place.hasTerminal = hasTerminal
    for file in variableFiles {
      // A variable that is already set takes precedence: a file holds defaults, as is customary.
      place.variables += try EnvironmentFile.read(file).filter {
        ProcessEnvironment.value(of: $0.name) == nil
      }
    }
    place.variables += variables
    return place
  }
}
