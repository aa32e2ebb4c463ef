import RunnerCore
import Scripting

/// The subcommands that end services, start them again, and show what they have printed. None loads the
/// command file unless a name is unknown to the hub.
extension Subcommand {
  static let down: Subcommand = Subcommand(
    name: "down", underMake: .leftOut, arguments: "[SERVICE...]",
    summary: "End services, whoever uses them",
    options: [.file, .global], passesArguments: false, completion: .services
  ) { line in
    var absent: [ServiceName] = []
    let status = try HubSession.use(line) { session, client in
      let names = line.words.map { ServiceName($0) }
      let answer = try end(names, client, in: session)
      let (ended, failed) = (answer.texts("ended"), answer.texts("failed"))
      for name in ended {
        let grace = answer?[field: "killed"]?[field: name]?.seconds.map { Duration.seconds($0) }
        let how = grace.map { ": its processes were killed, \($0.text) after they were to end" }
        session.report.say("\(name) has ended\(how ?? "")")
      }
      for name in failed { session.report.say("\(name) had already failed") }
      if session.isEnding { return ExitStatus.failure }
      if line.words.isEmpty, ended.isEmpty, failed.isEmpty {
        session.report.say("nothing is up for \(client.place.commandFile)")
      }
      let known = (ended + failed).map { ServiceName($0) }
      absent = names.filter { !known.contains(where: $0.covers) }
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
    name: "restart", underMake: .leftOut, arguments: "SERVICE",
    summary: "Start a service again, with its present definition",
    options: [.file, .global], passesArguments: false, completion: .service
  ) { line in
    let name = ServiceName(
      try line.onlyWord(named: "SERVICE", usage: Subcommand.restart.usage))
    var isAbsent = false
    let status = try HubSession.use(line) { session, client in
      let answer: JSONValue?
      do throws(HubError) { answer = try client.askIfRunning(.restart(name), in: session) } catch {
        guard case .refused(_, "not_found", _, _) = error else { throw error }
        answer = nil
      }
      if session.isEnding { return ExitStatus.failure }
      isAbsent = answer == nil
      if isAbsent { return ExitStatus.success }
      guard case .list(let restarted)? = answer?[field: "restarted"] else {
        return ExitStatus.success
      }
      for service in restarted {
        let isHeld = if case .bool(true)? = service[field: "held"] { true } else { false }
        session.report.say(
          "\(service[field: "service"]?.string ?? "") is started again"
            + (isHeld ? ", and held until 'raclette down'" : ""))
      }
      return ExitStatus.success
    }
    return isAbsent ? try refuse([name], line) : status
  }

  static let logs: Subcommand = Subcommand(
    name: "logs", underMake: .answered, arguments: "SERVICE",
    summary: "Show what a service has printed",
    options: [.longFile, .global, .follow, .lines], passesArguments: false, completion: .service
  ) { line in
    let name = ServiceName(try line.onlyWord(named: "SERVICE", usage: Subcommand.logs.usage))
    var isRecorded = true
    let status = try HubSession.use(line) { session, client in
      let logs = ServiceLogs(client.place, name)
      isRecorded = !logs.isEmpty
      guard isRecorded else { return ExitStatus.success }
      // A hub that was killed records nothing: what it has left is ended first.
      let listing = try HubListing(of: client, in: session)
      try logs.show(last: line.count(.lines))
      guard line.has(.follow) else { return ExitStatus.success }
      if !listing.isUp(name) { session.report.say("\(name) is not up; waiting for it") }
      try logs.follow(in: session)
      return ExitStatus.success
    }
    guard !isRecorded else { return status }
    if let problem = try problem(of: name, line) { throw UsageError.input(problem) }
    guard line.has(.follow) else {
      throw UsageError.input("'\(name)' has printed nothing: it was not started yet")
    }
    return try HubSession.use(line.entered) { session, client in
      session.report.say("\(name) is not up; waiting for it")
      try client.place.prepare()
      try ServiceLogs(client.place, name).follow(in: session)
      return ExitStatus.success
    }
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
      problem = host.problem(ofService: name.command, file)
      return host.command(named: name.command) != nil
    }
    switch look {
    case .complete, .refused(true), .failed(_, true): return problem
    case .refused, .failed, .ended: return nil
    }
  }
}

extension CommandLine {
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
