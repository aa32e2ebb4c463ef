import EventLoop
import LuaRuntime
import Platform

/// The decisions that a host makes for its scripts.
///
/// The owner of a host makes all of them before the host exists: no member has a default, so that
/// nothing is permitted because nobody thought of it.
public struct HostPolicy {
  /// Answers the question of a command that wants a confirmation: returning means yes, and a thrown
  /// failure is the execution's.
  public typealias Confirmation = (Plan.Call) throws(Failure) -> Void

  /// Called on the loop's thread before anything is executed for a call whose command has `confirm`.
  public var confirmation: Confirmation
  /// When the `enabled` condition of a command counts.
  public var conditions: Conditions
  /// Whether commands that are up to date are left out.
  public var upToDate: UpToDate
  /// The limits of scripts, which hold from the beginning; a later change has no effect.
  public var limits: Limits
  /// What becomes of a mistake in the definition of a command.
  public var mistakes: Mistakes
  /// Returns true if observers receive what processes print while they are being ended along with
  /// their execution. Otherwise it is logged.
  public var takesLateOutput: () -> Bool
  /// Returns true if the run has been asked to end. Needed while a script blocks the loop, which
  /// cannot deliver the request then.
  public var isEndRequested: () -> Bool

  /// Returns variables for a process, by the id of the outermost execution that it belongs to, if
  /// any. Those of its command and its own take precedence.
  package var processVariables: (Int?) -> [EnvironmentChange] = { _ in [] }
  /// Decides who executes needed calls of commands with `scope = "cluster"`; nil if this process
  /// does.
  package var sharedNeeds: (any SharedNeeds)?
  /// The budget that processes count against, which what they start shares; nil for none.
  package var jobServer: JobServer?
  /// What executions may use, which the hosts of a program share.
  package var resources = ResourceBudget([:])
  /// True if a command file that is another tool's stands for all such files of its folder.
  package var adoptsFolder = false
  /// Keeps the results of cached commands; nil for none.
  package var cache: ResultCache?
  /// Returns the variables that the scripts of a new interpreter have.
  package var environment: () -> CallerEnvironment = { .own }
  /// Provides the services that commands need; nil if the host does.
  package var services: (any ServiceProvider)?

  /// Makes a policy of all its decisions.
  public init(
    confirmation: @escaping Confirmation, conditions: Conditions, upToDate: UpToDate,
    limits: Limits, mistakes: Mistakes, takesLateOutput: @escaping () -> Bool,
    isEndRequested: @escaping () -> Bool
  ) {
    self.confirmation = confirmation
    self.conditions = conditions
    self.upToDate = upToDate
    self.limits = limits
    self.mistakes = mistakes
    self.takesLateOutput = takesLateOutput
    self.isEndRequested = isEndRequested
  }

  /// When the `enabled` condition of a command counts.
  public enum Conditions: Sendable {
    /// Commands wait for the first value of their conditions, which must be a boolean, for a time
    /// at most; nil for no limit.
    case awaited(atMost: Duration?)
    /// A condition counts as true until it sends a value, and any value has Lua's truth.
    case assumed
  }

  /// Whether commands that are up to date are left out.
  public enum UpToDate {
    /// Everything is executed, and nothing is recorded.
    case ignored
    /// What the store knows to be up to date is left out, and the rest is recorded there.
    case skipped(any StateStore)
    /// Everything is executed, and recorded in the store.
    case recorded(any StateStore)
    /// The executions of one command are all recorded, and those of others skipped.
    case recordedOnly(of: String, any StateStore)
  }

  /// The limits of scripts.
  public struct Limits: Sendable {
    /// The most bytes that Lua may hold; nil for no limit, or for the sandbox's.
    public var memory: Int?
    /// How long Lua code may run without a pause; nil for no limit, or for the sandbox's.
    public var time: Duration?
    /// The restrictions on scripts; nil for none.
    public var sandbox: Sandbox?

    /// Makes limits.
    public init(memory: Int?, time: Duration?, sandbox: Sandbox?) {
      self.memory = memory
      self.time = time
      self.sandbox = sandbox
    }
  }

  /// What becomes of a mistake in the definition of a command.
  public enum Mistakes {
    /// The first one fails the script.
    case fail
    /// Each is reported as `file:line: message`, and the definition continues with its valid parts.
    case report((String) -> Void)
  }
}

extension ScriptHost {
  /// Asks for the confirmation of a call, if its command wants one.
  ///
  /// - Throws: `Failure` if it is not confirmed.
  public func confirm(_ call: Plan.Call) throws(Failure) {
    guard try call.question() != nil else { return }
    try policy.confirmation(call)
  }

  /// True if a condition counts only once it has sent a boolean.
  var requiresConditions: Bool {
    if case .awaited = policy.conditions { true } else { false }
  }

  /// The longest wait for a condition that sends no value; nil for no limit.
  var conditionTimeout: Duration? {
    if case .awaited(let limit) = policy.conditions { limit } else { nil }
  }

  /// The record of the last executions; nil if there is none.
  var stateStore: (any StateStore)? {
    switch policy.upToDate {
    case .ignored: nil
    case .skipped(let store), .recorded(let store), .recordedOnly(_, let store): store
    }
  }

  /// True if a command is executed although it is up to date.
  func ignoresUpToDate(of command: String) -> Bool {
    switch policy.upToDate {
    case .skipped: false
    case .recordedOnly(let name, _): name == command
    case .ignored, .recorded: true
    }
  }

  /// Receives each mistake in the definition of a command; nil if the first one fails the script.
  var reportMistake: ((String) -> Void)? {
    if case .report(let report) = policy.mistakes { report } else { nil }
  }
}
