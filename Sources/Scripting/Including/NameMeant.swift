extension ScriptCommand {
  /// Returns the name that was probably meant by one that is not defined, as the file of this command
  /// refers to it: relative to its namespace, or with a leading colon. Never the command itself.
  func nameMeant(by name: String) -> String? {
    let prefix = namespace.map { "\($0):" } ?? ""
    let bare =
      prefix.isEmpty || !name.hasPrefix(prefix) ? name : String(name.dropFirst(prefix.count))
    if !prefix.isEmpty, bare != name, let command = host.command(named: bare), command !== self {
      return ":\(bare)"
    }
    let names = host.commands.filter { $0 !== self }.flatMap { [$0.name] + $0.aliases }
    // A name in an inner namespace is called by all of it.
    let inner = names.filter { $0.hasSuffix(":\(bare)") }.min { $0.count < $1.count }
    guard let meant = inner ?? nearestName(to: name, among: names), !prefix.isEmpty else {
      return inner ?? nearestName(to: name, among: names)
    }
    return meant.hasPrefix(prefix) ? String(meant.dropFirst(prefix.count)) : ":\(meant)"
  }
}
