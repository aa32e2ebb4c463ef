import Platform

extension ScriptHost {
  /// Returns a sentence for each service that a command needs and whose changes leave it up to date. For
  /// a cached command, `problemsWithCaching` says it.
  public var uncountedServices: [String] {
    var files = ServiceFiles()
    return commands.filter { $0.declaresUpToDate && !$0.isCached }.flatMap { command in
      command.uncountedServices(&files).map { command.place + $0 }
    }
  }
}

extension ScriptCommand {
  /// Returns a sentence for each service that it needs if no file that this one watches, and no output of
  /// what that needs, is among its sources: they do not tell what the service does. Functions may find
  /// more sources, and a fingerprint may represent the service.
  package var uncountedServices: [String] {
    var files = ServiceFiles()
    return uncountedServices(&files)
  }

  fileprivate func uncountedServices(_ files: inout ServiceFiles) -> [String] {
    guard !hasFingerprint else { return [] }
    var sources: PlacedPatterns?
    switch description.upToDate?.sources {
    case .patterns(let patterns)?: sources = try? placed(patterns)
    case .function?, .lazy?: return []
    case nil, .some(.none): break
    }
    let services = listedNeeds.compactMap { host.command(named: $0.name) }.filter(\.isService)
    return services.filter { !files.areAny(of: $0, among: sources) }.map { service in
      "'\(name)' needs the service '\(service.name)', but stays up to date when that changes: name "
        + "the files of '\(service.name)' in its 'watch' and in the 'sources' of '\(name)', or add a "
        + "'fingerprint'"
    }
  }
}

/// The files that services depend on, found once for all commands that need one.
private struct ServiceFiles {
  /// By the name of the service.
  private var found: [String: [String]] = [:]

  /// Returns true if one of a service's files is among the sources of a command.
  mutating func areAny(of service: ScriptCommand, among sources: PlacedPatterns?) -> Bool {
    guard let sources else { return false }
    let needs = service.listedNeeds.compactMap { service.host.command(named: $0.name) }
    let lists = [service.watchPatterns] + needs.flatMap(\.outputPatterns)
    let isNamed = lists.joined().contains { !$0.hasPrefix("!") && sources.patterns.contains($0) }
    return isNamed || paths(of: service, lists).contains(where: sources.glob.matches)
  }

  private mutating func paths(of service: ScriptCommand, _ lists: [[String]]) -> [String] {
    if let paths = found[service.name] { return paths }
    let paths = lists.flatMap { list -> [String] in
      guard !list.isEmpty, let files = try? Glob(list), let found = try? files.paths() else {
        return []
      }
      return files.plainPaths + found
    }
    found[service.name] = paths
    return paths
  }
}
