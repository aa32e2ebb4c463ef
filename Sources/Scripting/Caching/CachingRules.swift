import LuaRuntime
import Platform

/// What a definition says about keeping the results of its executions: `cache` and `pass_env`.
struct CachingRules: Sendable {
  /// The variables that its processes get besides a few, and that count.
  var passed: [String] = []

  /// - Returns: nil if the results are not kept.
  init?(_ fields: TableFields, _ problems: DefinitionProblems) throws {
    let isCached = try problems.part(false) { try fields.bool("cache", problems) }
    passed = try problems.part([]) { try Self.names(fields, problems) }
    guard isCached else {
      if fields.type("pass_env") != .nil {
        try problems.part(()) {
          throw problems.bad("field 'pass_env' is for cached commands: cache = true")
        }
      }
      return nil
    }
    try problems.part(()) {
      guard fields.type("outputs") != .nil else {
        throw problems.bad("field 'cache' needs 'outputs', the files that are stored")
      }
      for key in ["interactive", "stdin"] where fields[key] == .bool(true) {
        throw problems.bad("the fields 'cache' and '\(key)' exclude each other")
      }
    }
  }

  private static func names(
    _ fields: TableFields, _ problems: DefinitionProblems
  ) throws -> [String] {
    let names = try fields.texts("pass_env", problems)
    guard let wrong = names.first(where: { $0.isEmpty || $0.contains("=") || $0.contains("\0") })
    else { return names }
    throw problems.bad("field 'pass_env' has '\(wrong)', which is not the name of a variable")
  }
}
