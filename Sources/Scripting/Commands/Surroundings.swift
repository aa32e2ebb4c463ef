import LuaRuntime

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Where a command works: its folder, the variables of its processes, and which values are secret.
struct Surroundings: Sendable {
  /// Relative to the folder of the command file.
  var directory: String?
  var variables: [EnvironmentChange] = []
  /// Files of variables that the environment does not have yet.
  var variableFiles: [String] = []
  /// The names of variables and parameters whose values must not be shown.
  var secrets: [String] = []
  /// Whether its processes own the terminal.
  var isInteractive = false

  init() {}

  init(_ fields: TableFields, _ bad: (String) -> any Error) throws {
    directory = try Self.text(fields, "cwd", bad)
    if fields.type("env") != .nil {
      variables = try fields.variables("env", called: "field 'env'", bad)
    }
    if fields.type("env_file") == .table {
      variableFiles = try Self.texts(fields, "env_file", bad)
    } else if let file = try Self.text(fields, "env_file", bad) {
      variableFiles = [file]
    }
    secrets = try Self.texts(fields, "secrets", bad)
    switch fields["interactive"] {
    case .nil: break
    case .bool(let bool): isInteractive = bool
    case let value: throw bad("field 'interactive' must be a boolean, got \(value.type.name)")
    }
  }

  private static func text(
    _ fields: TableFields, _ name: String, _ bad: (String) -> any Error
  ) throws -> String? {
    switch fields[name] {
    case .nil: return nil
    case .string(let text) where !text.isEmpty && !text.bytes.contains(0): return text.description
    case let value: throw bad("field '\(name)' must be a path, got \(value.type.name)")
    }
  }

  private static func texts(
    _ fields: TableFields, _ name: String, _ bad: (String) -> any Error
  ) throws -> [String] {
    guard fields.type(name) != .nil else { return [] }
    let texts = fields.list(name).compactMap(\.stringValue?.description)
    guard fields.type(name) == .table, texts.count == fields.list(name).count else {
      throw bad("field '\(name)' must be a list of strings")
    }
    return texts
  }

  /// The place of an execution that begins now.
  ///
  /// - Throws: `Failure` for a file of variables that cannot be read.
  func place() throws -> Workplace {
    var place = Workplace()
    place.directory = directory.map { Array($0.utf8) }
    place.isInteractive = isInteractive
    for file in variableFiles {
      // What is set already is meant: a file holds defaults, as everywhere.
      place.variables += try EnvironmentFile.read(file).filter { getenv($0.name) == nil }
    }
    place.variables += variables
    return place
  }
}
