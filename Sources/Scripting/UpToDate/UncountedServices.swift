import Platform

extension ScriptHost {
  /// Returns a sentence for each service that a command needs and whose changes leave it up to date. For
  /// a cached command, `problemsWithCaching` says it.
  public var uncountedServices: [String] {
    commands.filter { $0.declaresUpToDate && !$0.isCached }.flatMap { command in
      command.uncountedServices.map { (command.position.map { "\($0): " } ?? "") + $0 }
    }
  }
}

extension ScriptCommand {
  /// Returns a sentence for each service that it needs if no file that this one watches, and no output of
  /// what that needs, is among its sources: they do not tell what the service does. Functions may find more sources, and a
  /// fingerprint may represent the service.
  package var uncountedServices: [String] {
    guard !hasFingerprint else { return [] }
    var sources: PlacedPatterns?
    switch description.upToDate?.sources {
    case .patterns(let patterns)?: sources = try? placed(patterns)
    case .function?, .lazy?: return []
    case nil, .some(.none): break
    }
    let services = listedNeeds.compactMap { host.command(named: $0.name) }.filter(\.isService)
    return services.filter { !$0.hasFile(among: sources) }.map { service in
      "'\(name)' needs the service '\(service.name)', but stays up to date when that changes: name "
        + "the files of '\(service.name)' in its 'watch' and in the 'sources' of '\(name)', or add a "
        + "'fingerprint'"
    }
  }

  private func hasFile(among sources: PlacedPatterns?) -> Bool {
    guard let sources else { return false }
    let needs = listedNeeds.compactMap { host.command(named: $0.name) }
    return ([watchPatterns] + needs.flatMap(\.outputPatterns)).contains { list in
      if list.contains(where: { !$0.hasPrefix("!") && sources.patterns.contains($0) }) {
        return true
      }
      guard !list.isEmpty, let files = try? Glob(list), let found = try? files.paths() else {
        return false
      }
      return (files.plainPaths + found).contains(where: sources.glob.matches)
    }
  }
}
