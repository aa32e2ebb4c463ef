import LuaRuntime

/// What the definition of a service says about its life.
public struct ServiceRules: Sendable {
  /// How it is found out that a service is ready.
  enum Readiness: Sendable {
    /// One of its processes listens at this port.
    case port(UInt16)
    /// A web server answers; at this machine, one of its processes.
    case page(ServerProbe)
    /// It has printed a line with this text.
    case line([UInt8])
    /// There is something at this path that it has made: a socket that accepts connections, or a file.
    case path(String)
    /// A line or a program exits with 0.
    case work(CommandWork.Step)
    /// A live signal of booleans.
    case signal
    /// A function that returns whether it is ready.
    case function
  }

  /// When it is started again after it has ended without being asked to.
  public enum Restart: String, Sendable, CaseIterable {
    case never, always
    case onFailure = "on-failure"
  }

  /// Nil if nothing can tell; then it can be started, but not needed.
  var readiness: Readiness?
  /// The longest that a user waits until it is ready.
  public var readyTimeout = Duration.seconds(60)
  /// When it is started again.
  public var restart = Restart.never
  /// The time before the first start after a crash.
  public var restartDelay = Duration.milliseconds(500)
  /// By what that time is multiplied for each further one.
  public var restartBackoff = 2.0
  /// How often it is started again in a row. What has been ready for ten seconds begins a new row.
  public var restartTimes = 5
  /// How long it stays when its last user has gone.
  public var linger = Duration.zero
  /// True if users of one that has ended for good wait for it, instead of being cancelled.
  public var waitsWhenLost = false

  /// True if it can become ready.
  public var canBeReady: Bool { readiness != nil }

  /// How it is found out that it is ready, as it would be described; nil if nothing can tell.
  public var readinessText: String? {
    switch readiness {
    case nil: nil
    case .port(let port): "port \(port)"
    case .page(let probe): probe.page?.url ?? probe.place.text
    case .line(let text): "line '\(String(exactly: text))'"
    case .path(let path): "path '\(path)'"
    case .work(let step): step.textOfProbe
    case .signal: "a signal"
    case .function: "a function"
    }
  }

  /// Returns the time before a start after a crash.
  ///
  /// - Parameter number: 1 for the first of a row.
  func delay(before number: Int) -> Duration {
    var delay = restartDelay
    for _ in 1..<max(number, 1) where delay < Self.longestDelay { delay = delay * restartBackoff }
    return min(delay, max(Self.longestDelay, restartDelay))
  }

  private static let longestDelay = Duration.seconds(60)
}

extension CommandWork.Step {
  /// The line or the program as it could be typed.
  fileprivate var textOfProbe: String {
    switch self {
    case .line(let line): String(exactly: line)
    case .program(let words):
      words.map { String(exactly: $0).quotedForShell }.joined(separator: " ")
    case .script, .function, .command: "a program"
    }
  }
}

extension ScriptCommand {
  /// What makes it a service; nil for an ordinary command.
  public var service: ServiceRules? { description.service }
  /// True if its execution goes on, and what needs it waits until it is ready.
  public var isService: Bool { description.service != nil }
}
