import Platform
import RunnerCore
import Scripting

/// The subcommands that end services, start them again, and show what they have printed. None loads the
/// command file unless a name is unknown to the hub.
extension Subcommand {
  static let down: Subcommand = Subcommand(
    name: "down", underMake: .leftOut, arguments: "[SERVICE...]",
    summary: "End services, even if they are in use",
    options: [.file, .global], passesArguments: false, completion: .services
  ) { line in
    let names = line.serviceNames
    let line = try entered(line)
    if let status = try refusal(of: names, line) { return status }
    var absent: [ServiceName] = []
    let status = try HubSession.use(line) { session, client in
      let answer = try end(names, client, in: session)
      let (ended, failed) = (answer.texts("ended"), answer.texts("failed"))
      for name in ended {
        let grace = answer?[field: "killed"]?[field: name]?.seconds.map { Duration.seconds($0) }
        let how = grace.map { ": \(KilledService.text(after: $0))" } ?? ""
        session.report.say("\(name) has ended\(how)")
      }
      for name in failed { session.report.say("\(name) had already failed") }
      if session.isEnding { return ExitStatus.failure }
      if line.words.isEmpty, ended.isEmpty, failed.isEmpty {
        session.report.say("no service is up for \(client.place.commandFile)")
      }
      // Nothing is up if no hub runs.
      let missing = answer == nil ? names.map(\.address) : answer.texts("absent")
      absent = names.filter { missing.contains($0.address) }
      return ExitStatus.success
    }
    guard status == ExitStatus.success, !absent.isEmpty else { return status }
    return try refuse(absent, line)
  }

  /// Ends services and waits for their end, also after a first signal; a second one kills them.
  private static func end(
    _ names: [ServiceName], _ client: HubClient, in session: Session
  ) throws(HubError) -> JSONValue? {
    Interruption.leaveForce(toProgram: true)
    defer { Interruption.leaveForce(toProgram: false) }
    session.awaitedServices = {
      names.isEmpty ? ["the services"] : names.map(\.description)
    }
    var killing: HubClient.Call?
    session.onForce = { killing = client.send(.kill(names, unlessUsed: false), .fail) }
    defer { killing?.cancel() }
    do { return try client.ask(.end(names), .fail, in: session, until: { false }) } catch {
      if case .notRunning = error { return nil }
      throw error
    }
  }

  static let restart: Subcommand = Subcommand(
    name: "restart", underMake: .leftOut, arguments: "SERVICE...",
    summary: "Restart services with their current definitions",
    options: [.file, .global], passesArguments: false, completion: .services
  ) { line in
    let names = line.serviceNames
    guard !names.isEmpty else {
      throw UsageError.missingArgument("SERVICE", usage: Subcommand.restart.usage)
    }
    let line = try entered(line)
    if let status = try refusal(of: names, line) { return status }
    var absent: [ServiceName] = []
    let status = try HubSession.use(line) { session, client in
      var status = ExitStatus.success
      for name in names {
        do throws(HubError) {
          let answer = try client.askIfRunning(
            .restart(name, from: .unloaded), in: session)
          if session.isEnding { return ExitStatus.failure }
          guard let answer else {
            absent.append(name)
            continue
          }
          report(restartsIn: answer, session.report)
        } catch {
          if case .refused(_, "not_found", _, _) = error {
            absent.append(name)
            continue
          }
          session.report.error(error.description)
          status = names.count == 1 ? error.exitStatus : ExitStatus.failure
        }
      }
      return status
    }
    guard !absent.isEmpty else { return status }
    let refusal = try refuse(absent, line)
    return status == ExitStatus.success ? refusal : status
  }

  private static func report(restartsIn answer: JSONValue, _ report: Report) {
    guard case .list(let restarted)? = answer[field: "restarted"] else { return }
    for service in restarted {
      let isHeld = if case .bool(true)? = service[field: "held"] { true } else { false }
      let grace = service[field: "killed"]?.seconds.map { Duration.seconds($0) }
      report.say(
        "\(service[field: "service"]?.string ?? "") has restarted"
          + (isHeld ? ", and is held until 'raclette down'" : "")
          + (grace.map { "; \(KilledService.text(after: $0))" } ?? ""))
    }
  }

  static let logs: Subcommand = Subcommand(
    name: "logs", underMake: .answered, arguments: "[SERVICE...]",
    summary: "Show what services have printed",
    options: [.longFile, .global, .follow, .lines], passesArguments: false, completion: .services
  ) { line in
    if line.has(.follow), let file = line.words.first(where: { $0.hasSuffix(".lua") }) {
      throw UsageError.input(
        "'\(file)' is not a service; -f is --follow here, and --file=\(file.quotedForShell) names a "
          + "command file")
    }
    let names = line.serviceNames
    var absent: [ServiceName] = []
    let status = try HubSession.use(line) { session, client in
      for name in names {
        let services = ServiceLogs(client.place, [name], line.outputStyle).services
        if let problem = name.problem(meaning: services) { throw UsageError.input(problem) }
        if services.isEmpty { absent.append(name) }
      }
      return absent.isEmpty ? try show(names, line, client, in: session) : ExitStatus.success
    }
    guard !absent.isEmpty else { return status }
    for name in absent {
      if let problem = try problem(of: name, line) { throw UsageError.input(problem) }
      guard line.has(.follow) else {
        throw UsageError.input("'\(name)' has printed nothing: it was not started yet")
      }
    }
    return try HubSession.use(line.entered) { session, client in
      try show(names, line, client, in: session)
    }
  }

  /// Prints the records of services, and follows them if that is wanted.
  private static func show(
    _ names: [ServiceName], _ line: CommandLine, _ client: HubClient, in session: Session
  ) throws -> Int32 {
    // A hub that was killed records nothing: what it has left is ended first.
    let listing = try HubListing(of: client, in: session)
    let logs = ServiceLogs(client.place, names, line.outputStyle)
    try logs.show(last: line.count(.lines))
    if names.isEmpty, logs.services.isEmpty {
      session.report.say("no service of \(client.place.commandFile) has printed anything")
    }
    guard line.has(.follow) else { return ExitStatus.success }
    for name in names where !listing.isUp(name) {
      session.report.say("\(name) is not up; waiting for it")
    }
    try client.place.prepare()
    try logs.follow(in: session)
    return ExitStatus.success
  }

  /// Checks several names before anything is done to the services of one of them.
  ///
  /// - Returns: the exit status after reporting names that are none of services, or after a signal; nil to
  ///   go on.
  /// - Throws: `UsageError` for a name that several services have.
  private static func refusal(of names: [ServiceName], _ line: CommandLine) throws -> Int32? {
    guard names.count > 1 else { return nil }
    var unknown: [ServiceName] = []
    let status = try HubSession.use(line) { session, client in
      let listing = try HubListing(of: client, in: session)
      for name in names {
        let services = listing.meant(by: name)
        if let problem = name.problem(meaning: services) { throw UsageError.input(problem) }
        if services.isEmpty { unknown.append(name) }
      }
      return session.isEnding ? ExitStatus.failure : ExitStatus.success
    }
    guard status == ExitStatus.success else { return status }
    let problems = try unknown.compactMap { try problem(of: $0, line) }
    for problem in problems { Report(line).error(problem) }
    return problems.isEmpty ? nil : ExitStatus.usage
  }

  /// The line once the directory was entered that it names.
  private static func entered(_ line: CommandLine) throws -> CommandLine {
    try line.enterDirectory()
    return line.entered
  }

  /// Says of services that none of them is up, or why a name is none of a service.
  private static func refuse(_ names: [ServiceName], _ line: CommandLine) throws -> Int32 {
    let report = Report(line)
    for name in names {
      report.error(try problem(of: name, line) ?? HubError.down(name.description).description)
    }
    return ExitStatus.usage
  }

  /// Why a name is none of a service, by a look at the command file; nil if it is one, or that is not
  /// known because the file does not load.
  private static func problem(of name: ServiceName, _ line: CommandLine) throws -> String? {
    guard let file = try line.commandFile() else { return nil }
    var problem: String?
    let look = try CommandFileSession.look(at: line.entered, for: "look") { host in
      let command = name.commands.first { host.command(named: $0) != nil } ?? name.command
      problem = host.problem(ofService: command, file)
      return host.command(named: command) != nil
    }
    switch look {
    case .complete, .refused(true), .failed(_, true): return problem
    case .refused, .failed, .ended: return nil
    }
  }
}

extension CommandLine {
  /// The services that the words address, each once.
  fileprivate var serviceNames: [ServiceName] {
    var names: [ServiceName] = []
    for name in words.map({ ServiceName($0) }) where !names.contains(name) { names.append(name) }
    return names
  }

  fileprivate var outputStyle: Style { Style(option: self[.color], descriptor: STDOUT_FILENO) }

  /// The line once the directory was entered that it names.
  fileprivate var entered: CommandLine { without(.directory).without(.envFile) }
}

extension JSONValue? {
  /// The texts in a field that is a list.
  fileprivate func texts(_ name: String) -> [String] {
    guard case .list(let elements)? = self?[field: name] else { return [] }
    return elements.compactMap(\.string)
  }
}
