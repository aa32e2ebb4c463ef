import Digests
import Platform

/// The variables of its caller that the processes of a cached command get. What its definition sets,
/// and what Raclette sets for an execution, comes on top.
struct PassedVariables: Sendable {
  /// Those that the definition names.
  let named: [String]

  init(_ rules: CachingRules) { named = rules.passed }

  /// Those that every command gets. They say where things are, and count only if they are named.
  static let usual: Set<String> = [
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "COLORTERM", "TMPDIR", "PWD",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
  ]
  /// Those that every command gets, and that change what programs write: they count.
  private static let counted: Set<String> = ["LANG", "LANGUAGE", "TZ"]

  private static func isCounted(_ name: String) -> Bool {
    counted.contains(name) || name.hasPrefix("LC_")
  }

  func contains(_ name: String) -> Bool {
    Self.usual.contains(name) || Self.isCounted(name) || name.hasPrefix("RACLETTE_")
      || named.contains { $0.exactBytes == name.exactBytes }
  }

  /// The variables that count, as parts of the definition.
  func definitionParts(for caller: CallerEnvironment) -> [StoredExecution.Part] {
    let set = caller.variables
    let counted = set.filter { Self.isCounted($0.name) && !named.contains($0.name) }
    return (counted.map(\.name) + Set(named)).sorted { $0.isBefore($1) }.map { name in
      var digest = SHA256()
      if let value = set.first(where: { $0.name.exactBytes == name.exactBytes })?.value {
        digest.update(part: value)
      }
      return StoredExecution.Part(name: "the variable '\(name)'", digest: digest.finish())
    }
  }
}
