import LuaRuntime

/// A file of variables, as a definition of a command names it.
struct VariableFile: Sendable {
  var path: String
  /// True if it may be missing.
  var isOptional = false

  /// Returns the files in a field: a path, or a list of paths and `{path, optional = true}`.
  static func all(
    _ fields: TableFields, _ name: String, _ bad: (String) -> any Error
  ) throws -> [VariableFile] {
    let stack = fields.stack
    let type = fields.push(name)
    defer { stack.pop() }
    guard type != .nil else { return [] }
    guard type == .table else {
      return [VariableFile(path: try stack.value(at: -1).path(called: "field '\(name)'", bad))]
    }
    let list = TableFields(stack, at: -1)
    if list.type("optional") != .nil {
      throw bad(
        "field '\(name)': an optional file is a table in the list: {{\"path\", optional = true}}")
    }
    if let problem = list.unknownKeys(besides: [], isList: true).first { throw bad(problem) }
    return try list.elements.enumerated().map { position, value in
      let place = "\(name)[\(position + 1)]"
      guard value.type == .table else {
        return VariableFile(path: try value.path(called: place, bad))
      }
      stack.push(value)
      defer { stack.pop() }
      return try VariableFile(TableFields(stack, at: -1), place, bad)
    }
  }

  private init(_ fields: TableFields, _ place: String, _ bad: (String) -> any Error) throws {
    let record = Library.environmentFile
    if let problem = fields.unknownKeys(besides: record.keys, isList: true).first {
      throw bad("\(place): \(problem)")
    }
    guard fields.elements.count == 1 else {
      throw bad("\(place) must be a path, or a table such as {\".env.local\", optional = true}")
    }
    path = try fields.elements[0].path(called: place, bad)
    isOptional = try fields.bool("optional", called: "\(place): 'optional'", bad) ?? false
  }

  init(path: String) { self.path = path }
}

/// A file from which a command reads variables.
public struct VariableSource: Sendable, Hashable {
  /// Its path, relative to the folder of the command file.
  public let path: String
  /// True if it may be missing.
  public let isOptional: Bool
  /// True if it sets a variable whose value must not be shown.
  public let isSecret: Bool
}
