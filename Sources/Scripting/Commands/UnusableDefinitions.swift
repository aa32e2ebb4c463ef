import LuaRuntime
import Platform

extension ScriptHost {
  /// Returns the problems with commands that load but cannot be used: names that cannot be typed on
  /// a command line, choices that are not valid values, missing folders and files.
  public func problemsWithUse() -> [Failure] {
    commands.flatMap { command in
      var problems = command.problemsWithName + command.problemsWithDefault
      problems += command.parameters.compactMap(\.problem)
      problems += command.problemsWithPlace + command.problemsWithWords
      return problems.map { problem in
        var failure = Failure(.input, "'\(command.name)': \(problem)")
        failure.position = command.position
        return failure
      }
    }
  }
}

extension ScriptCommand {
  fileprivate var problemsWithName: [String] {
    ([name] + aliases).compactMap { name in
      if name.hasPrefix("-") { return "the name '\(name)' would be an option" }
      return ["::", ":::"].contains(name) ? "the name '\(name)' separates commands" : nil
    }
  }

  fileprivate var problemsWithDefault: [String] {
    guard isDefault, let first = host.defaultCommands.first, first !== self, fitsSystem else {
      return []
    }
    let place = first.position.map { " (\($0))" } ?? ""
    return ["'\(first.name)'\(place) is the default command already"]
  }

  /// Its needs may create the folder and files, so only a command without needs is checked.
  fileprivate var problemsWithPlace: [String] {
    guard !hasNeeds else { return [] }
    let environment = description.environment
    var problems: [String] = []
    if let folder = environment.directory {
      // The trailing `/.` requires a folder.
      if access(folder + "/.", X_OK) != 0 {
        problems.append("cwd '\(folder)': \(systemErrorText(errno))")
      }
    }
    do throws(Failure) { try environment.check() } catch { problems.append(error.message) }
    return problems
  }
}

extension Parameter {
  fileprivate var problem: String? {
    guard let first = name.first, first.isLetter || first == "_",
      name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" })
    else { return "no command line can name the parameter '\(name)'" }
    if name == "help" { return "the parameter 'help' is hidden by --help" }
    let unfit = choices.first { (try? value(of: $0)) == nil }
    return unfit.map {
      "parameter '\(name)' is of type '\(kind.rawValue)', its choice '\($0)' is not"
    }
  }
}
