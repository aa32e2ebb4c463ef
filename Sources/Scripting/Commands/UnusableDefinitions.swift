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
      problems += command.problemWithFolder + command.problemsWithWords
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

  /// Its needs may create the folder, so only that of a command without needs is checked.
  fileprivate var problemWithFolder: [String] {
    // The trailing `/.` requires a folder.
    guard !hasNeeds, let folder = directory, access(folder + "/.", X_OK) != 0 else { return [] }
    return ["cwd '\(folder)': \(systemErrorText(errno))"]
  }

  /// Its needs may create its files of variables, too.
  fileprivate var problemWithVariables: [String] {
    guard !hasNeeds else { return [] }
    do throws(Failure) { try checkSurroundings() } catch { return [error.message] }
    return []
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
