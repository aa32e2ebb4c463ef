import Platform

extension ScriptHost {
  /// Returns each file or pattern that two commands both name as output, and each source that is
  /// named without wildcards and does not exist although no other command could make it.
  public func problemsWithOutputs() -> [Failure] {
    var problems: [Failure] = []
    var known: [(pattern: String, glob: Glob, command: ScriptCommand)] = []
    for command in commands {
      guard case .patterns(let patterns)? = command.description.upToDate?.outputs else { continue }
      for written in patterns where !written.hasPrefix("!") {
        // Patterns are relative to the command's folder.
        let pattern = SourceScope.join(command.directory ?? "", written)
        guard let glob = try? Glob([pattern]) else { continue }
        if let other = known.first(where: {
          $0.command !== command && $0.glob.meets(glob, $0.pattern, pattern)
        }) {
          var failure = Failure(
            .input,
            "'\(command.name)' and '\(other.command.name)' both name the output '\(pattern)'"
              + (other.pattern == pattern ? "" : ", the other as '\(other.pattern)'")
              + (other.command.position.map { " (\($0))" } ?? ""))
          failure.position = command.position
          problems.append(failure)
        } else {
          known.append((pattern, glob, command))
        }
      }
    }
    return problems + commands.flatMap(missingSources)
  }

  private func missingSources(of command: ScriptCommand) -> [Failure] {
    // What it needs may make them.
    guard !command.hasNeeds,
      case .patterns(let patterns)? = command.description.upToDate?.sources,
      let glob = try? Glob(patterns)
    else { return [] }
    return glob.plainPaths.filter {
      access(SourceScope.join(command.directory ?? "", $0), F_OK) != 0
    }.map { path in
      var failure = Failure(
        .input, "'\(command.name)': the source '\(path)' does not exist")
      failure.position = command.position
      return failure
    }
  }
}

extension Glob {
  /// True if both match a file for sure: they are the same, or one is a path that the other matches.
  fileprivate func meets(_ other: Glob, _ pattern: String, _ otherPattern: String) -> Bool {
    pattern == otherPattern || plainPaths.contains { other.matches($0) || other.plainPaths == [$0] }
      || other.plainPaths.contains(where: matches)
  }
}
