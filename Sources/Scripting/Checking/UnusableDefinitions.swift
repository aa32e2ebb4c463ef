import LuaRuntime
import Platform

extension ScriptHost {
  /// Returns the problems with commands that load but cannot be used: names that cannot be typed on
  /// a command line, choices that are not valid values, programs that cannot exist.
  public func problemsWithUse() -> [Failure] {
    var files: Set<String> = []
    return sentences { command in
      [
        command.problemsWithName, command.problemsWithDefault,
        command.parameters.compactMap(\.problem), command.problemsWithParameters,
        command.problemsWithWords, command.problemsWithPatterns,
        command.problemsWithVariables.filter { files.insert($0).inserted },
      ]
    }
  }

  /// Returns what is probably wrong with commands: folders and files that are missing here, and texts
  /// that do something else than they seem to.
  public func notesOnUse() -> [Failure] {
    // One file of variables may serve many commands.
    var files: Set<String> = []
    return sentences { command in
      [
        command.notesOnName, command.noteOnResources, command.noteOnFolder,
        command.notesOnParameters, command.notesOnWords, command.notesOnFailures,
        command.notesOnIdleSteps,
        command.notesOnVariables.filter { files.insert($0).inserted },
      ]
    }
  }

  private func sentences(about sentences: (ScriptCommand) -> [[String]]) -> [Failure] {
    commands.flatMap { command in
      sentences(command).joined().map { sentence in
        var failure = Failure(.input, "'\(command.name)': \(sentence)")
        failure.position = command.position
        return failure
      }
    }
  }
}

extension ScriptCommand {
  fileprivate var noteOnResources: [String] {
    if let problem = host.policy.resources.pool.problem(with: resources) {
      return ["uses \(resources.text), but \(problem)"]
    }
    return problemBeside(listedCalls).map { [$0] } ?? []
  }

  /// The names by which people are to call it: none if it is private, or the recipe of another tool.
  private var typedNames: [String] {
    isPrivate || description.adoptedFile != nil ? [] : [name] + aliases
  }

  fileprivate var problemsWithName: [String] {
    typedNames.compactMap { name in
      if name.hasPrefix("-") { return "the name '\(name)' would be an option" }
      return ["::", ":::"].contains(name) ? "the name '\(name)' separates commands" : nil
    }
  }

  fileprivate var notesOnName: [String] {
    typedNames.filter { !$0.hasPrefix("-") && !["::", ":::"].contains($0) }.compactMap { name in
      let isScript = name.hasSuffix(".lua") || name.contains("/")
      guard isScript || name.hasPrefix(":") else { return nil }
      return "the name '\(name)' would be a \(isScript ? "script" : "subcommand"); "
        + "only 'raclette run \(name.quotedForShell)' executes it"
    }
  }

  fileprivate var problemsWithDefault: [String] {
    guard isDefault, let first = host.defaultCommands.first, first !== self, fitsSystem else {
      return []
    }
    let place = first.position.map { " (\($0))" } ?? ""
    return ["'\(first.name)'\(place) is the default command already"]
  }

  /// Its needs may create the folder, so only that of a command without needs is checked.
  fileprivate var noteOnFolder: [String] {
    // The trailing `/.` requires a folder.
    guard !hasNeeds, let folder = directory, access(folder + "/.", X_OK) != 0 else { return [] }
    return ["cwd '\(folder)': \(systemErrorText(errno))"]
  }

  /// `**` means any number of folders only where it is a whole part of a pattern.
  fileprivate var problemsWithPatterns: [String] {
    let rules = description.upToDate
    let fields: [(name: String, patterns: [String])] = [
      ("sources", rules?.sources.written ?? []), ("outputs", rules?.outputs.written ?? []),
      ("depfile", rules?.depfiles.written ?? []), ("watch", description.watch),
    ]
    return fields.flatMap { field in
      field.patterns.compactMap { pattern in
        pattern.withWholeStars.map {
          "field '\(field.name)' has '\(pattern)', where '**' means '*': write '\($0)' for files in any "
            + "folder below"
        }
      }
    }
  }

  /// Files of variables that are here and have a mistake, whatever variables are set.
  fileprivate var problemsWithVariables: [String] {
    variableProblems.filter(\.isCertain).map(\.message)
  }

  /// Its needs may create its files of variables, too.
  fileprivate var notesOnVariables: [String] {
    hasNeeds ? [] : variableProblems.filter { !$0.isCertain }.map(\.message)
  }

  private var variableProblems: [(message: String, isCertain: Bool)] {
    variableFiles.compactMap { path in
      do throws(Failure) { try checkVariableFile(path) } catch {
        // A variable that is not set here may be elsewhere.
        let isMistake = (try? checkVariableFile(path, unset: [])) == nil
        return (error.message, isMistake && access(path, R_OK) == 0)
      }
      return nil
    }
  }
}

extension UpToDateRules.Files {
  /// The patterns that the definition has written out.
  fileprivate var written: [String] {
    if case .patterns(let patterns) = self { patterns } else { [] }
  }
}

extension String {
  /// The pattern in which each `**` is a part of its own; nil if each is one already.
  fileprivate var withWholeStars: String? {
    let parts = split(separator: "/", omittingEmptySubsequences: false).map { part -> String in
      guard let stars = part.firstRange(of: "**"), part != "**" else { return String(part) }
      let (before, after) = (part[..<stars.lowerBound], part[stars.upperBound...])
      // A `!` is not part of the name.
      let start = before.isEmpty || before == "!" ? "\(before)" : "\(before)*/"
      return start + "**/*" + String(after.hasPrefix("*") ? after.dropFirst() : after)
    }
    let pattern = parts.joined(separator: "/")
    return pattern == self ? nil : pattern
  }
}

extension Parameter {
  fileprivate var problem: String? {
    guard name.isParameterName else {
      return "no command line can name the parameter '\(name)'"
    }
    if name == "help" { return "the parameter 'help' is hidden by --help" }
    let unfit = choices.first { (try? value(of: $0)) == nil }
    return unfit.map {
      "parameter '\(name)' is of type '\(kind.rawValue)', its choice '\($0)' is not"
    }
  }
}
