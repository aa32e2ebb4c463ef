import Reactive
import RunnerCore
import Scripting

extension Subcommand {
  static let up: Subcommand = Subcommand(
    name: "up", underMake: .leftOut, arguments: "[SERVICE...]",
    summary: "Bring services up and hold them until Ctrl-C",
    options: [.file, .global, .holds, .ui, .output, .json] + Option.confinement,
    passesArguments: false,
    completion: .services,
    preparing: { line in
      try line.checkScreen()
      let commandFile = CommandFileSession(
        line, confirmation: Confirmations(line, asks: !line.has(.json)).confirm)
      return .session(commandFile) { session, file in
        let services = try line.services(in: session.host, file)
        if line.has(.detach) {
          try line.checkHolding()
          return try hold(services, file, in: session)
        }
        let plan: Plan
        do { plan = try Plan(services.map { Plan.Call($0, try $0.input(from: [])) }) } catch {
          throw UsageError.input("\(error)")
        }
        if line.has(.ui) { return try show(plan, line, file, in: session) }
        var line = line.with(.keepGoing)
        if line[.output] == nil { line = line.with(.output, OutputMode.prefix.rawValue) }
        let run = try PlannedRuns(line, journal: nil, in: session).runs(of: plan)()
        return execute(run, in: session)
      }
    })

  /// Shows services on a screen until the user leaves.
  private static func show(
    _ plan: Plan, _ line: CommandLine, _ file: String, in session: Session
  ) throws -> Int32 {
    let services = plan.steps.filter(\.command.isService).map {
      ServiceKey($0.command, $0.input)
    }
    let place = try HubPlace(ofLoaded: file)
    let dashboard = try Dashboard(services, place, line, in: session)
    let run = CommandRun(
      session, plan, PlanOptions(keepsGoing: true), EventStream(session, [dashboard]))
    session.onInterrupt = { run.cancel() }
    session.onFinish = { run.finish(exitCode: $0) }
    run.start()
    try dashboard.show { run.isOver }
    // What the user ends by leaving has not failed.
    let (status, failures) = (run.status, dashboard.failures)
    if dashboard.hasLeft { run.cancel() }
    session.wait { run.isOver }
    session.settle()
    guard !session.isEnding else { return ExitStatus.failure }
    for failure in failures { session.report.failure(failure) }
    return status
  }

  /// Holds services behind the terminal once all are ready. Those that fail, or that somebody ends
  /// meanwhile, are not held.
  private static func hold(
    _ services: [ScriptCommand], _ file: String, in session: Session
  ) throws -> Int32 {
    let client = HubClient(
      try HubPlace(ofLoaded: file), on: session.loop, session.report)
    let calls: [Plan.Call]
    do { calls = try services.map { Plan.Call($0, try $0.input(from: [])) } } catch {
      throw UsageError.input("\(error)")
    }
    let news = ServiceNewsObserver(session.host, session.report)
    session.host.add(news)
    defer { session.host.remove(news) }
    let starts = calls.map(ServiceStart.init)
    // A use of the terminal's lasts until the one of the hub has begun.
    defer { for start in starts { start.end() } }
    var status = ExitStatus.success
    for start in starts {
      session.wait { start.outcome != nil || session.isEnding }
      if session.isEnding { return ExitStatus.failure }
      if case .lost(let failure) = start.outcome {
        session.report.failure(failure)
        if status == ExitStatus.success { status = failure.exitStatus(ofSingle: starts.count == 1) }
      }
    }
    // Only now: one may have failed while others started.
    for start in starts where start.isReady {
      let name = start.command.name
      do throws(HubError) {
        let caller = session.host.environment
        let request = HubRequest.service("holds", of: start.command, .nil, from: .loaded(caller))
        _ = try client.ask(request, .start, in: session)
      } catch {
        guard case .refused(_, "ended", let message, _) = error else { throw error }
        session.report.error(message)
        if status == ExitStatus.success { status = ExitStatus.failure }
        continue
      }
      if session.isEnding { return ExitStatus.failure }
      session.report.say("\(name) is held until 'raclette down'")
    }
    return status
  }
}

/// The start of a service that is going to be held: a use of it. On the loop's thread.
private final class ServiceStart: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  let command: ScriptCommand
  private(set) var outcome: ServiceUse.Outcome?
  private var use: ServiceUse?

  var isReady: Bool { if case .ready = outcome { true } else { false } }

  init(_ call: Plan.Call) {
    command = call.command
    // What ends later, the hub knows.
    use = ServiceUse.begin(call, for: .own) { [weak self] outcome in
      self?.outcome = self?.outcome ?? outcome
    }
  }

  func end() { use?.end() }
}

extension CommandLine {
  /// Checks that nothing else is to be done with what `--ui` shows.
  ///
  /// - Throws: `UsageError`.
  fileprivate func checkScreen() throws(UsageError) {
    guard has(.ui) else { return }
    for option in [Option.json, .holds, .output] where has(option.name) {
      throw .input("--ui and --\(option.long) exclude each other")
    }
  }

  /// Checks that no option forbids what `--detach` needs.
  ///
  /// - Throws: `UsageError`.
  fileprivate func checkHolding() throws(UsageError) {
    for option in Option.confinement where has(option.name) {
      throw .input("--detach and --\(option.long) exclude each other: the hub runs the services")
    }
  }

  /// The services that the words name; all that need no arguments without words.
  fileprivate func services(
    in host: ScriptHost, _ file: String
  ) throws(UsageError) -> [ScriptCommand] {
    guard !words.isEmpty else {
      let all = host.commands.filter { $0.isService && (try? $0.input(from: [])) != nil }
      guard !all.isEmpty else {
        throw .input("\(file) defines no services: 'service = true' makes a command one")
      }
      return all
    }
    var services: [ScriptCommand] = []
    for word in words {
      if let problem = host.problem(ofService: word, file) { throw .input(problem) }
      guard let command = host.command(named: word) else { continue }
      if !services.contains(where: { $0 === command }) { services.append(command) }
    }
    return services
  }
}

extension ScriptHost {
  /// Why a name is none of a service of a command file; nil if it is one.
  func problem(ofService name: String, _ file: String) -> String? {
    guard let command = command(named: name) else {
      let services = commands.filter(\.isService).map(\.name)
      return "unknown service '\(name)' in \(file)" + didYouMean(name, among: services)
    }
    return command.isService ? nil : "'\(name)' is not a service; 'raclette \(name)' executes it"
  }
}

extension Option {
  static let holds = Option(
    name: .detach, long: "detach", short: "d",
    help: "exit once they are ready; they are held until 'down'")
  static let ui = Option(
    name: .ui, long: "ui", help: "show the services and their output in a full-screen view")
  /// `--file` where `-f` means `--follow`.
  static let longFile = Option(
    name: .file, long: "file", value: "FILE", form: .file, help: Option.file.help)
  static let follow = Option(
    name: .follow, long: "follow", short: "f", help: "keep printing new output until Ctrl-C")
  static let lines = Option(
    name: .lines, long: "lines", short: "n", value: "N", form: .number,
    help: "only the last N lines")
}
