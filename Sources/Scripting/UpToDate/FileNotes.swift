import Platform

extension ScriptHost {
  /// Returns a failure for each file or pattern that two commands both name as output.
  public func problemsWithOutputs() -> [Failure] {
    var problems: [Failure] = []
    var known: [NamedOutput] = []
    for command in commands {
      for output in command.namedOutputs {
        if let other = known.first(where: { $0.command !== command && $0.meets(output) }) {
          var failure = Failure(
            .input,
            "'\(command.name)' and '\(other.command.name)' both name the output '\(output.written)'"
              + (other.written == output.written ? "" : ", the other as '\(other.written)'")
              + (other.command.position.map { " (\($0))" } ?? ""))
          failure.position = command.position
          problems.append(failure)
        } else {
          known.append(output)
        }
      }
    }
    return problems
  }

  /// Returns a sentence for each source that does not exist, or pattern of sources that matches no file,
  /// although no other command could make one. It may come later.
  public func notesOnSources() -> [Failure] { commands.flatMap(missingSources) }

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
  /// The patterns of the files that it makes, and those of its depfiles, relative to the program's folder;
  /// without those that a function returns.
  public var outputPatterns: [[String]] {
    [description.upToDate?.outputs, description.upToDate?.depfiles].compactMap { files in
      guard case .patterns(let patterns)? = files else { return nil }
      return patterns.map { WatchPatterns.pattern($0, in: description.folder) }
    }
  }

  /// The outputs that its definition names, one for each pattern.
  fileprivate var namedOutputs: [NamedOutput] {
    guard case .patterns(let patterns)? = description.upToDate?.outputs else { return [] }
    return patterns.indices.filter { !patterns[$0].hasPrefix("!") }.compactMap { index in
      NamedOutput(
        self, patterns[index], without: patterns[index...].filter { $0.hasPrefix("!") })
    }
  }

  /// Returns a source of the command that another one makes; nil if the definitions name none.
  public func source(madeBy other: ScriptCommand) -> String? {
    guard case .patterns(let sources)? = description.upToDate?.sources,
      case .patterns(let outputs)? = other.description.upToDate?.outputs,
      let wanted = try? placed(sources).glob, let made = try? other.placed(outputs).glob
    else { return nil }
    return made.namedPaths.first(where: wanted.matches)
  }

  /// Returns patterns of the definition, which are relative to the folder that it works in.
  func placed(_ patterns: [String]) throws(GlobError) -> PlacedPatterns {
    try PlacedPatterns(patterns.map { WatchPatterns.pattern($0, in: description.folder) })
  }
}

/// A pattern of outputs in a definition, with the patterns behind it that leave files out.
private struct NamedOutput {
  let command: ScriptCommand
  let written: String
  private let pattern: String
  private let excludes: Set<String>
  private let glob: Glob

  init?(_ command: ScriptCommand, _ written: String, without excludes: [String]) {
    let placed = { Self.relative(WatchPatterns.pattern($0, in: command.description.folder)) }
    (self.command, self.written, pattern) = (command, written, placed(written))
    self.excludes = Set(excludes.map(placed))
    guard let glob = try? Glob([pattern] + self.excludes) else { return nil }
    self.glob = glob
  }

  /// The paths that it names.
  private var paths: [String] { glob.namedPaths.filter(glob.matches) }

  /// True if both match a file for sure: they are the same, or one is a path that the other matches.
  func meets(_ other: NamedOutput) -> Bool {
    let isSame =
      pattern == other.pattern
      && (excludes.isSubset(of: other.excludes) || excludes.isSuperset(of: other.excludes))
    return isSame || paths.contains(where: other.glob.matches)
      || other.paths.contains(where: glob.matches)
  }

  /// The pattern relative to the program's folder, if it leads into it by an absolute path.
  private static func relative(_ pattern: String) -> String {
    let mark = pattern.hasPrefix("!") ? "!" : ""
    let bare = pattern.dropFirst(mark.count)
    guard bare.hasPrefix("/") else { return pattern }
    let variable = ProcessEnvironment.value(of: "PWD")
    for folder in [currentFolder(), variable].compactMap({ $0 }) {
      let start = WatchPatterns.escaped(folder) + "/"
      if bare.hasPrefix(start) { return mark + bare.dropFirst(start.count) }
    }
    return pattern
  }
}
