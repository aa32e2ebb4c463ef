import EventLoop
import Platform
import RunnerCore
import Scripting

extension Hub {
  /// `:hub`: serves the clients of a command file, unless another hub does.
  package static func serve(_ line: CommandLine) throws -> Int32 {
    guard let path = line[.file] else {
      throw UsageError.input("the hub needs its command file: -f FILE")
    }
    let place = try HubPlace(path)
    let streams = HubStreams(log: place.log)
    do { return try serve(line, place, streams) } catch {
      streams.fail(error)
      throw error
    }
  }

  private static func serve(
    _ line: CommandLine, _ place: HubPlace, _ streams: HubStreams
  ) throws -> Int32 {
    try place.prepare()
    let lock = try HubLock(place)
    let life: HubLife?
    switch try HubLife.start(at: place, lock, streams) {
    case .begins(let begun): life = begun
    case .isUnwanted: return ExitStatus.failure
    case .isServed:
      streams.ready([])
      return ExitStatus.success
    }
    defer { life?.remove() }
    try ServiceIDKey.make(at: place)
    try streams.openLog()
    try HTTPServer.load()
    let inheritance = HubInheritance(at: place.record)
    let ended = inheritance.endGroups()
    let record = try HubRecord(place.record, inheritance)
    let history = try HubHistory(place.history)
    lock.note(getpid())
    HubLog.note(
      "started for \(place.commandFile) (pid \(getpid()), Raclette \(ScriptHost.version))")
    var begun: Hub?
    let holder = HubHolder(outputs: place.outputs)
    let variables = HubVariables()
    let commandFile = CommandFileSession(
      line,
      confirmation: { call throws(Failure) in
        guard let begun else { return try Panel.refuse(call) }
        try begun.panel.confirm(call)
      }, services: holder, environment: variables.take)
    var problem: String?
    // What a killed hub has left is listed and ended whether or not the file loads.
    let goesOn = { (error: any Error) in
      problem = "\(error)"
      return !ended.isEmpty || !inheritance.isEmpty
    }
    return try commandFile.use(goesOn: goesOn) { session, file in
      let panel = try Panel(session, file: file, PanelOptions(line), queue: nil, isPrinted: false)
      panel.loadProblem = problem
      defer { panel.finishMessages() }
      panel.executions.go(onAfter: inheritance.lastNumber)
      life?.follow(on: session.loop)
      let hub = Hub(session, panel, place, holder, variables, record, history, streams, lock, life)
      for past in history.past {
        panel.executions.go(onAfter: past.number)
        past.restore(in: panel)
      }
      begun = hub
      try hub.serve(socket(at: place), news(of: ended) + hub.take(over: inheritance))
      return ExitStatus.success
    }
  }

  private static func socket(at place: HubPlace) throws -> ListeningSocket {
    do { return try ListeningSocket(.path(place.socket)) } catch {
      guard case .cannotListen(let path, let reason) = error else { throw error }
      throw place.unusable(path, because: reason)
    }
  }

  /// What there is to tell of the groups that a predecessor has left.
  private static func news(of groups: [Int32]) -> [String] {
    groups.isEmpty ? [] : [HubLog.text(ofGroups: groups, of: "a killed hub")]
  }
}
