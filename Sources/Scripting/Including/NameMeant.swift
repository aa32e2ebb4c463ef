extension ScriptCommand {
  /// Returns the name that was probably meant by one that is not defined, as the file of this command
  /// refers to it: relative to its namespace, or with a leading colon.
  func nameMeant(by name: String) -> String? {
    let prefix = namespace.map { "\($0):" } ?? ""
    if !prefix.isEmpty, name.hasPrefix(prefix) {
      let bare = String(name.dropFirst(prefix.count))
      if host.command(named: bare) != nil { return ":\(bare)" }
    }
    let names = host.commands.flatMap { [$0.name] + $0.aliases }
    guard let nearest = nearestName(to: name, among: names), !prefix.isEmpty else {
      return nearestName(to: name, among: names)
    }
    return nearest.hasPrefix(prefix) ? String(nearest.dropFirst(prefix.count)) : ":\(nearest)"
  }
}
