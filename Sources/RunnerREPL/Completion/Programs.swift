import LuaRuntime
import Platform
import RunnerCore

/// The programs and variables of the environment.
enum Programs {
  /// The programs on the path whose names begin with a text.
  static func names(startingWith prefix: String) -> [String] {
    let folders = (environment("PATH") ?? "/usr/bin:/bin").split(separator: ":")
    var found: Set<String> = []
    for folder in folders {
      for name in Platform.names(inFolder: String(folder)) ?? []
      where name.hasPrefix(prefix) && !found.contains(name) {
        if access("\(folder)/\(name)", X_OK) == 0 { found.insert(name) }
      }
    }
    return found.sorted()
  }

  static var environmentNames: [String] {
    var names: [String] = []
    var entry = environ
    while let text = entry.pointee {
      names.append(String(String(cString: text).prefix { $0 != "=" }))
      entry += 1
    }
    return names
  }
}
