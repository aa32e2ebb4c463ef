import Platform

extension ScriptHost {
  /// Returns why the results of cached commands are never stored, as far as their definitions tell.
  public func problemsWithCaching() -> [Failure] {
    let root = currentFolder()
    return commands.compactMap { command in
      guard command.description.caching != nil,
        let problem = command.problemWithOutputs(below: root) ?? command.problemWithService
      else { return nil }
      var failure = Failure(
        .input, "the result of '\(command.name)' is never cached: \(problem)")
      failure.position = command.position
      return failure
    }
  }
}

extension ScriptCommand {
  fileprivate func problemWithOutputs(below root: String?) -> CacheProblem? {
    outputPatterns.joined().first { pattern in
      if pattern.hasPrefix("!") { return false }
      let glob = try? Glob([pattern])
      let places = glob.map { $0.plainPaths.isEmpty ? $0.folders : $0.plainPaths } ?? []
      return places.contains { $0 != "." && CachePath($0, in: root) == nil }
    }.map { .outside($0) }
  }

  /// Why the state of a service counts, although nothing says so: it needs one, or what it needs or has as
  /// a step does.
  var problemWithService: CacheProblem? {
    hasFingerprint ? nil : neededService.map { .service($0) }
  }

  private var neededService: String? {
    guard host.registry.hasServices else { return nil }
    var seen: Set<String> = [name]
    var pending = uses.map(\.0.name)
    while let next = pending.popLast() {
      guard seen.insert(next).inserted, let command = host.command(named: next) else { continue }
      if command.isService { return next }
      pending += command.uses.map(\.0.name)
    }
    return nil
  }
}

extension ScriptExecution {
  /// Why the state of a service counts that it has used.
  var problemWithUsedService: CacheProblem? {
    scriptCommand.hasFingerprint ? nil : usedService.map { .service($0) }
  }
}
