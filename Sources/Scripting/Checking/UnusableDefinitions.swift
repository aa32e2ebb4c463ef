import LuaRuntime
import Platform

extension ScriptHost {
  /// Returns the problems with commands that load but cannot be used: names that cannot be typed on
  /// a command line, choices that are not valid values, missing folders and files.
  public func problemsWithUse() -> [Failure] {
    // One file of variables may serve many commands.
    var files: Set<String> = []
    return commands.flatMap { command in
      var problems = command.problemsWithName + command.problemsWithDefault
      problems += command.parameters.compactMap(\.problem)
      problems += command.problemWithResources
      problems += command.problemWithFolder + command.problemsWithParameters
      problems += command.problemsWithWords + command.problemsWithFailures
      problems += command.problemsWithPatterns
      problems += command.problemWithVariables.filter { files.insert($0).inserted }
      return problems.map { problem in
        var failure = Failure(.input, "'\(command.name)': \(problem)")
        failure.position = command.position
        return failure
      }
    }
  }
}

extension ScriptCommand {
  fileprivate var problemWithResources: [String] {
    host.policy.resources.pool.problem(with: resources).map {
      ["uses \(resources.text), but \($0)"]
    } ?? []
  }

  fileprivate var problemsWithName: [String] {
    ([name] + aliases).compactMap { name in
      if name.hasPrefix("-") { return "the name '\(name)' would be an option" }
      if ["::", ":::"].contains(name) { return "the name '\(name)' separates commands" }
      let isScript = name.hasSuffix(".lua") || name.contains("/")
      guard isScript || name.hasPrefix(":") else { return nil }
      return "the name '\(name)' would be a \(isScript ? "script" : "subcommand"); "
        + "only 'raclette run \(name)' executes it"
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
  fileprivate var problemWithFolder: [String] {
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

  /// Its needs may create its files of variables, too.
  fileprivate var problemWithVariables: [String] {
    guard !hasNeeds else { return [] }
    do throws(Failure) { try checkSurroundings() } catch { return [error.message] }
    return []
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
