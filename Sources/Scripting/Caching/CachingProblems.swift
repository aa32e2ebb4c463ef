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

  /// Why the state of a service counts, although nothing says so.
  var problemWithService: CacheProblem? {
    guard description.upToDate?.hasFingerprint != true,
      case .listed(let list) = description.needs
    else { return nil }
    return list.needs.first { host.command(named: $0.name)?.description.service != nil }
      .map { .service($0.name) }
  }
}
