import LuaRuntime

/// The commands that scripts have defined.
struct CommandRegistry {
  /// The named commands in definition order.
  private(set) var commands: [ScriptCommand] = []
  /// The places where the first commands without a name were defined.
  private(set) var anonymous: [String] = []
  private var byName: [String: ScriptCommand] = [:]

  subscript(name: String) -> ScriptCommand? { byName[name] }

  mutating func add(_ command: ScriptCommand) {
    commands.append(command)
    for name in [command.name] + command.aliases { byName[name] = command }
  }

  mutating func remove(_ command: ScriptCommand) {
    for name in [command.name] + command.aliases { byName[name] = nil }
    commands.removeAll { $0 === command }
  }

  /// Records the place of a command without a name; a script may make any number of them.
  mutating func noteAnonymous(_ position: String) {
    if anonymous.count < 100 { anonymous.append(position) }
  }
}

extension ScriptHost {
  /// The named commands in definition order.
  public var commands: [ScriptCommand] { registry.commands }

  /// The places where commands without a name were defined.
  public var anonymousCommands: [String] { registry.anonymous }

  /// Returns the command with a name or alias.
  public func command(named name: String) -> ScriptCommand? { registry[name] }

  /// The commands that are executed when none is named; more than one is an error of the file.
  public var defaultCommands: [ScriptCommand] {
    commands.filter { $0.isDefault && $0.fitsSystem }
  }

  /// Registers a named command, also in Lua as `rac.commands[name]`, from its userdata at an index.
  func register(_ command: ScriptCommand, at index: Int, on stack: LuaStack) throws {
    guard let name = command.description.name else { return }
    for other in [name] + command.aliases {
      guard let known = self.command(named: other) else { continue }
      // Of the commands of one name for several systems, the one for this system counts.
      if !command.fitsSystem { return }
      guard known.fitsSystem else {
        withdraw(known, on: stack)
        continue
      }
      throw APIUsageError.duplicateCommand(
        name: other, here: command.position, there: known.position)
    }
    stack.push(commandTable)
    stack.copy(from: index)
    stack.rawSet(name, at: -2)
    stack.pop()
    command.register()
    registry.add(command)
    if scopes.hasIncluded { hideAmbiguousNames(of: command) }
  }

  private func withdraw(_ command: ScriptCommand, on stack: LuaStack) {
    stack.push(commandTable)
    stack.set(command.name, .nil, at: -1)
    stack.pop()
    registry.remove(command)
    command.release()
  }
}
