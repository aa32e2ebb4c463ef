import LuaRuntime

extension ScriptHost {
  /// Returns `rac.commands`: a table of the named commands by their names.
  ///
  /// In a file that another one includes, a name means a command of its own namespace first, as in
  /// `needs`, so that such a file works alone and included. A name that therefore means several commands
  /// is no field of the table, and is found at each read.
  func namedCommands() -> LuaValue {
    _ = interpreter.withStack { stack in
      stack.push(commandTable)
      stack.newTable(fields: 3)
      stack.set("__metatable", "commands", at: -1)
      stack.pushFunction { [unowned(unsafe) self] call in
        guard let name = call.value(at: 2).stringValue?.exactText else {
          return call.returning(.nil)
        }
        return call.returning(command(meantBy: name))
      }
      stack.rawSet("__index", at: -2)
      stack.setMetatable(at: -2)
    }
    return .reference(commandTable)
  }

  /// Returns the command that the running file means by a name; nil if there is none.
  private func command(meantBy name: String) -> LuaValue {
    let namespace = scopeOfCall()?.namespace ?? ""
    let full = SourceScope.referred(name, in: namespace)
    guard let known = command(named: full) ?? command(named: name) else {
      missingCommand = MissingCommand(name: name, place: placeOfCall())
      return .nil
    }
    return value { $0.push(known.node.anchor) }
  }

  /// Removes a name of a new command from the fields of `rac.commands` if it means another command in
  /// some file, and the name that the command has in its own file if it means another one elsewhere.
  func hideAmbiguousNames(of command: ScriptCommand) {
    let namespace = command.description.namespace
    if !namespace.isEmpty {
      for name in [command.name] + command.aliases {
        let own = String(name.dropFirst(namespace.count + 1))
        if self.command(named: own) != nil { hide(own) }
      }
    }
    let isMeantInside = scopes.all.contains { scope in
      !scope.namespace.isEmpty && self.command(named: scope.defined(command.name)) != nil
    }
    if isMeantInside { hide(command.name) }
  }

  private func hide(_ name: String) {
    _ = interpreter.withStack { stack in
      stack.push(commandTable)
      stack.set(name, .nil, at: -1)
      guard stack.pushMetatable(at: -1) else { return }
      let metatable = TableFields(stack, at: -1)
      guard metatable.type("__pairs") == .nil else { return }
      // A walk finds all names all the same.
      stack.pushFunction { [unowned(unsafe) self] call in
        call.stack.push(prelude.parts)
        call.stack.rawGet("next", at: -1)
        call.stack.newTable(fields: commands.count)
        for command in commands {
          call.stack.push(command.node.anchor)
          call.stack.rawSet(command.name, at: -2)
        }
        return .results(2)
      }
      stack.rawSet("__pairs", at: metatable.index)
    }
  }
}

/// A name that a script has looked up in `rac.commands` in vain.
struct MissingCommand {
  let name: String
  /// The `file:line` of the look-up.
  let place: String?
}

extension ScriptHost {
  /// The end of a message about a use of nil, if the line that fails has looked up a command that does
  /// not exist: the name that was probably meant.
  func hintAtMissingCommand(in message: String) -> String {
    guard let missing = missingCommand, let place = missing.place,
      message.hasPrefix("\(place): attempt to "), message.contains(" a nil value")
    else { return "" }
    let names = commands.flatMap { [$0.name] + $0.aliases }
    return "; there is no command '\(missing.name)'" + didYouMean(missing.name, among: names)
  }
}
