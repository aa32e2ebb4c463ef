import LuaRuntime

/// The commands that scripts have defined.
struct CommandRegistry {
  /// The named commands in definition order.
  private(set) var commands: [ScriptCommand] = []
  /// The places where the first commands without a name were defined.
  private(set) var anonymous: [String] = []
  private var byName: [String: ScriptCommand] = [:]
  /// The recipes of other tools whose names commands of the script have: each with both places.
  private(set) var replaced: [String] = []
  /// The programs that execute adopted recipes.
  private(set) var tools: [AdoptedTool] = []

  /// True if one of them is a service, or was.
  private(set) var hasServices = false

  subscript(name: String) -> ScriptCommand? { byName[name] }

  mutating func add(_ command: ScriptCommand) {
    commands.append(command)
    if command.isService { hasServices = true }
    byName[command.name] = command
    for alias in command.aliases { byName[alias] = command }
  }

  mutating func remove(_ command: ScriptCommand) {
    for name in [command.name] + command.aliases { byName[name] = nil }
    commands.removeAll { $0 === command }
  }

  /// Records that a command of the script has the name of an adopted recipe.
  mutating func noteReplaced(_ name: String, at place: String?, by other: String?) {
    replaced.append("\(place ?? "?"): '\(name)' is the command of \(other ?? "?")")
  }

  /// Records the program that executes recipes of a file.
  mutating func note(_ tool: AdoptedTool) {
    if !tools.contains(tool) { tools.append(tool) }
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

  /// For messages about a script without named commands: the end of a sentence about those that it has
  /// without names; empty if it has none.
  public var unnamedHint: String {
    guard let place = anonymousCommands.first else { return "" }
    let others = anonymousCommands.count - 1
    let more = others > 0 ? ", nor have \(others) more" : ""
    return " by name: the one at \(place) has none\(more)"
  }

  /// For each adopted recipe whose name a command of the script has, a sentence with both places.
  public var replacedRecipes: [String] { registry.replaced }

  /// For each adopted file whose recipes a program executes that is not installed, a sentence with both.
  public var missingTools: [String] {
    registry.tools.filter { !$0.isInstalled }.map {
      "\($0.file): its recipes are executed by '\($0.name)', which is not installed"
    }
  }

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
      // A command of the script counts before an adopted one, whichever is first.
      switch (known.description.adoptedFile, command.description.adoptedFile) {
      case (nil, _?):
        registry.noteReplaced(other, at: command.position, by: known.position)
        return
      case (_?, nil):
        registry.noteReplaced(other, at: known.position, by: command.position)
        if known.name == other { withdraw(known, on: stack) }
        continue
      default: break
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
