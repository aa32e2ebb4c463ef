import EventLoop
import LuaRuntime
import Platform

/// Needs that never end: what needs them would wait for ever.
extension ScriptCommand {
  /// The problem of a command that needs this one if its work is known to go on and it is no service;
  /// nil if that is not known.
  func problemOfEndlessness(neededBy user: ScriptCommand) -> Failure? {
    guard !isService, let program = endlessProgram else { return nil }
    var failure = Failure(
      .dependency,
      "'\(user.name)' needs '\(name)', whose '\(program)' \(Self.endlessRemark)")
    failure.position = position
    return failure
  }

  /// The program of its work that never ends by itself, as far as that is known; nil if it may end.
  fileprivate var endlessProgram: String? {
    for step in description.work?.steps ?? [] {
      let words: [String]
      switch step {
      case .program(let program): words = program.map { String(exactly: $0) }
      case .line(let line):
        let text = String(exactly: line)
        // Whatever is more than one program may end it.
        guard !text.contains(where: { ";&|()<>$`\n'\"#".contains($0) }) else { continue }
        words = text.split(separator: " ").map(String.init)
      case .script, .function, .command: continue
      }
      guard let name = words.first?.split(separator: "/").last.map(String.init) else { continue }
      if Self.isEndless(name, Array(words.dropFirst())) { return name }
    }
    return nil
  }

  fileprivate static let endlessRemark =
    "never ends; service = true and 'ready' make it a service"

  private static func isEndless(_ name: String, _ arguments: [String]) -> Bool {
    switch name {
    case "postgres": arguments.first == "-D" && arguments.count == 2
    // Its configuration, or another option, may make it a daemon.
    case "redis-server": arguments.isEmpty || (arguments.first == "--port" && arguments.count == 2)
    case "memcached": arguments.isEmpty || (arguments.first == "-p" && arguments.count == 2)
    case "sleep": arguments == ["infinity"]
    case "tail":
      arguments.contains { ["-f", "-F", "--follow"].contains($0) }
        && !arguments.contains { $0.hasPrefix("--pid") }
    case "python", "python3": arguments.starts(with: ["-m", "http.server"])
    default: false
    }
  }
}

extension ScriptExecution {
  /// Says after a second that what waits for this execution may wait for ever, if one of its processes
  /// listens on a port by then, or its work is known to go on.
  func warnIfEndless(neededBy user: String) {
    let timer = scriptCommand.host.loop.timer(after: .seconds(1)) { [weak self] in
      // Until its end it keeps its host.
      guard let self, !hasEnded, let reason = reasonOfEndlessness else { return }
      scriptCommand.host.observers.waits(
        "'\(user)' waits for the end of '\(scriptCommand.name)', \(reason)")
    }
    timer.unref()
  }

  /// Why it may never end, with what to do about it; nil if that is not known.
  private var reasonOfEndlessness: String? {
    if !leaders.isEmpty, let port = PortOwner.port(of: leaders) {
      return "which listens on port \(port): service = true and ready = {port = \(port)} make it "
        + "a service"
    }
    return scriptCommand.endlessProgram.map { "whose '\($0)' \(ScriptCommand.endlessRemark)" }
  }
}
