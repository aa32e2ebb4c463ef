import Platform

extension ScriptHost {
  /// Returns a sentence for each file or pattern that two commands both name as output, and each source
  /// that does not exist, or pattern of sources that matches no file, although no other command could
  /// make one. Commands for different variants may have the same outputs, and files may come later.
  public func notesOnFiles() -> [Failure] {
    var notes: [Failure] = []
    var known: [(pattern: String, written: String, glob: Glob, command: ScriptCommand)] = []
    for command in commands {
      guard case .patterns(let patterns)? = command.description.upToDate?.outputs else { continue }
      for written in patterns where !written.hasPrefix("!") {
        let pattern = Self.relative(
          WatchPatterns.pattern(written, in: command.description.folder))
        guard let glob = try? Glob([pattern]) else { continue }
        if let other = known.first(where: {
          $0.command !== command && $0.glob.meets(glob, $0.pattern, pattern)
        }) {
          var failure = Failure(
            .input,
            "'\(command.name)' and '\(other.command.name)' both name the output '\(written)'"
              + (other.written == written ? "" : ", the other as '\(other.written)'")
              + (other.command.position.map { " (\($0))" } ?? ""))
          failure.position = command.position
          notes.append(failure)
        } else {
          known.append((pattern, written, glob, command))
        }
      }
    }
    return notes + commands.flatMap(missingSources)
  }

  /// The pattern relative to the program's folder, if it leads into it by an absolute path.
  private static func relative(_ pattern: String) -> String {
    guard pattern.hasPrefix("/") else { return pattern }
    let variable = ProcessEnvironment.value(of: "PWD")
    for folder in [currentFolder(), variable].compactMap({ $0 }) {
      let start = WatchPatterns.escaped(folder) + "/"
      if pattern.hasPrefix(start) { return String(pattern.dropFirst(start.count)) }
    }
    return pattern
  }

  private func missingSources(of command: ScriptCommand) -> [Failure] {
    // What it needs may make them.
    guard !command.hasNeeds,
      case .patterns(let patterns)? = command.description.upToDate?.sources,
      let placed = try? command.placed(patterns), let paths = try? placed.glob.paths()
    else { return [] }
    var outputs: PlacedPatterns?
    if case .patterns(let patterns)? = command.description.upToDate?.outputs {
      outputs = try? command.placed(patterns)
    }
    let sources = paths.filter { outputs?.glob.matches($0) != true }
    return placed.problems(with: sources, besides: outputs).map { problem in
      var failure = Failure(.input, "'\(command.name)' \(problem)")
      failure.position = command.position
      return failure
    }
  }
}

extension ScriptCommand {
  /// The patterns of the files that it makes, depfiles among them, relative to the program's folder;
  /// without those that a function returns.
  public var outputPatterns: [String] {
    [description.upToDate?.outputs, description.upToDate?.depfiles].flatMap { files in
      guard case .patterns(let patterns)? = files else { return [String]() }
      return patterns.filter { !$0.hasPrefix("!") }
    }.map { WatchPatterns.pattern($0, in: description.folder) }
  }

  /// Returns a source of the command that another one makes; nil if the definitions name none.
  public func source(madeBy other: ScriptCommand) -> String? {
    guard case .patterns(let sources)? = description.upToDate?.sources,
      case .patterns(let outputs)? = other.description.upToDate?.outputs,
      let wanted = try? placed(sources).glob, let made = try? other.placed(outputs).glob
    else { return nil }
    return made.plainPaths.first(where: wanted.matches)
  }

  /// Returns patterns of the definition, which are relative to the folder that it works in.
  func placed(_ patterns: [String]) throws(GlobError) -> PlacedPatterns {
    try PlacedPatterns(patterns.map { WatchPatterns.pattern($0, in: description.folder) })
  }
}

extension Glob {
  /// True if both match a file for sure: they are the same, or one is a path that the other matches.
  fileprivate func meets(_ other: Glob, _ pattern: String, _ otherPattern: String) -> Bool {
    pattern == otherPattern || plainPaths.contains { other.matches($0) || other.plainPaths == [$0] }
      || other.plainPaths.contains(where: matches)
  }
}
