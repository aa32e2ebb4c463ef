extension ScriptHost {
  /// Returns a sentence for each command whose sources another command makes that it does not need:
  /// which of them is executed first is left to chance. Functions may execute what they need, so
  /// commands with functions are left out.
  public var unneededSources: [String] {
    var makers: [(path: String, command: ScriptCommand)] = []
    for command in commands {
      guard case .patterns(let outputs)? = command.description.upToDate?.outputs,
        let made = try? command.placed(outputs).glob
      else { continue }
      makers += made.plainPaths.map { ($0, command) }
    }
    return commands.flatMap { command -> [String] in
      guard case .patterns(let sources)? = command.description.upToDate?.sources,
        let wanted = try? command.placed(sources).glob, let known = namesOfUsed(by: command)
      else { return [] }
      return makers.compactMap { path, maker in
        guard !known.contains(maker.name), wanted.matches(path),
          namesOfUsed(by: maker)?.contains(command.name) != true
        else { return nil }
        return (command.position.map { "\($0): " } ?? "")
          + "'\(command.name)' reads '\(path)', which '\(maker.name)' makes, and does not need it"
      }
    }
  }

  /// Returns a sentence for each need of a command with sources that makes none of these: the command
  /// stays up to date whatever the need makes.
  public var unreadNeeds: [String] {
    commands.flatMap { command -> [String] in
      guard case .patterns(let sources)? = command.description.upToDate?.sources,
        let read = try? command.placed(sources).glob
      else { return [] }
      return command.listedNeeds.compactMap { need in
        guard let maker = self.command(named: need.name),
          case .patterns(let outputs)? = maker.description.upToDate?.outputs,
          let made = try? maker.placed(outputs).glob.plainPaths, let first = made.first,
          !made.contains(where: read.matches)
        else { return nil }
        return (command.position.map { "\($0): " } ?? "")
          + "'\(command.name)' needs '\(maker.name)', but has '\(first)' not among its sources, and so "
          + "stays up to date when that changes"
      }
    }
  }

  /// The names of the commands that one executes before or as a part of itself, itself among them; nil
  /// if functions decide on it.
  private func namesOfUsed(by command: ScriptCommand) -> Set<String>? {
    var names: Set<String> = [command.name]
    var left = [command]
    while let next = left.popLast() {
      guard !next.asksForNeeds, next.description.work?.isWithoutFunctions != false else {
        return nil
      }
      for (need, _) in next.uses {
        guard let used = self.command(named: need.name), names.insert(used.name).inserted else {
          continue
        }
        left.append(used)
      }
    }
    return names
  }
}
