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
      makers += made.namedPaths.map { ($0, command) }
    }
    return commands.flatMap { command -> [String] in
      guard case .patterns(let sources)? = command.description.upToDate?.sources,
        let wanted = try? command.placed(sources).glob, let known = namesOfUsed(by: command)
      else { return [] }
      return makers.compactMap { path, maker in
        guard !known.contains(maker.name), wanted.matches(path),
          namesOfUsed(by: maker)?.contains(command.name) != true,
          // Several may make it in turn.
          !makers.contains(where: { $0.path == path && known.contains($0.command.name) })
        else { return nil }
        return "\(command.place)'\(command.name)' reads '\(path)', which '\(maker.name)' makes, "
          + "and does not need it"
      }
    }
  }

  /// Returns a sentence for each need of a command with sources that makes none of these, and has none
  /// of them as its own sources: the command stays up to date whatever the need makes. A depfile or a
  /// fingerprint may name more than the definition does.
  public var unreadNeeds: [String] {
    commands.flatMap { command -> [String] in
      guard let rules = command.description.upToDate, case .none = rules.depfiles,
        !rules.hasFingerprint, case .patterns(let sources) = rules.sources,
        let read = try? command.placed(sources)
      else { return [] }
      return command.listedNeeds.compactMap { need in
        guard let maker = self.command(named: need.name),
          case .patterns(let outputs)? = maker.description.upToDate?.outputs,
          let made = try? maker.placed(outputs), let first = made.glob.plainPaths.first,
          !made.glob.plainPaths.contains(where: read.glob.matches),
          !(read.glob.plainPaths + read.glob.folders).contains(where: made.glob.matches),
          !maker.sharesSources(with: read)
        else { return nil }
        return "\(command.place)'\(command.name)' needs '\(maker.name)', but '\(first)' is not "
          + "among its sources, so it stays up to date when '\(first)' changes"
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

extension ScriptCommand {
  /// True if a pattern of its sources is among other ones.
  fileprivate func sharesSources(with others: PlacedPatterns) -> Bool {
    guard case .patterns(let sources)? = description.upToDate?.sources,
      let own = try? placed(sources)
    else { return false }
    return own.patterns.contains(where: others.patterns.contains)
  }
}
