/// The commands that were probably meant by a name that no command has.
public enum CommandMeant: Equatable, Sendable {
  /// A name that is nearly the same.
  case name(String)
  /// The commands of a namespace.
  case namespace([String])
  /// One that has no name, by the place of its definition.
  case unnamed(String)

  /// The end of a message about the unknown name.
  public var hint: String {
    switch self {
    case .name(let name): didYouMean(name)
    case .namespace(let names): "; it is a namespace, with " + names.joined(separator: ", ")
    case .unnamed(let place): "; the command at \(place) has no name: name = …"
    }
  }
}

extension ScriptHost {
  /// Returns the commands that were probably meant by a name that no command has: not the private
  /// ones, which lists leave out too, unless the name begins as theirs do.
  ///
  /// - Parameter others: other names that would have been understood.
  public func meaning(of name: String, or others: [String] = []) -> CommandMeant? {
    let own = commands.filter { !$0.isPrivate && $0.name.hasPrefix("\(name):") }.map(\.name)
    if !own.isEmpty { return .namespace(own) }
    if let nearest = nearestName(to: name, among: namesMeant(by: name) + others) {
      return .name(nearest)
    }
    // Where others have names, one without is so on purpose.
    return commands.isEmpty ? anonymousCommands.first.map(CommandMeant.unnamed) : nil
  }

  /// Returns the name or alias that was probably meant by a name that no command has.
  public func commandMeant(by name: String) -> String? {
    nearestName(to: name, among: namesMeant(by: name))
  }

  private func namesMeant(by name: String) -> [String] {
    let isPrivate = name.isPrivateName
    return commands.filter { isPrivate || !$0.isPrivate }.flatMap { [$0.name] + $0.aliases }
  }
}
