import Commands
import LuaRuntime
import Reactive

/// A command that a script defined.
public final class ScriptCommand: @unchecked Sendable {
  // Unchecked: it belongs to the loop's thread, as its host does.

  /// What a definition says beside its functions.
  struct Description {
    var name: String?
    var summary: String?
    var details: String?
    var group: String?
    var aliases: [String] = []
    var isPrivate = false
    var parameters: [Parameter] = []
    var needs: [String] = []
    /// `file:line` of the definition.
    var position: String?
  }

  /// A function that is asked at each attempt, and where its answer goes.
  typealias Predicate = (callback: Callback, answer: BehaviorSubject<Bool>)

  let description: Description
  let command: Command<LuaValue, LuaValue>
  let node: SignalNode
  unowned(unsafe) let host: ScriptHost
  private let predicate: Predicate?
  private var isRegistered = false
  /// How many subscribers of `errors` and `disabled_errors` there are.
  var errorObservers = 0

  init(
    _ description: Description, _ command: Command<LuaValue, LuaValue>, node: SignalNode,
    host: ScriptHost, predicate: Predicate? = nil
  ) {
    self.description = description
    self.command = command
    self.node = node
    self.host = host
    self.predicate = predicate
  }

  /// The name; of an anonymous command where it was defined.
  public var name: String { description.name ?? "command at \(description.position ?? "?")" }
  /// What it does, in a line.
  public var summary: String? { description.summary }
  /// What it does, at length.
  public var details: String? { description.details }
  /// The heading it is listed under.
  public var group: String? { description.group }
  /// Other names.
  public var aliases: [String] { description.aliases }
  /// Whether it is left out of lists.
  public var isPrivate: Bool { description.isPrivate }
  /// The parameters it declares.
  public var parameters: [Parameter] { description.parameters }
  /// `file:line` of its definition.
  public var position: String? { description.position }

  /// Why an attempt now would be rejected, as the end of a sentence; nil if it would be taken.
  public var disabledReason: String? {
    askPredicate()
    guard let error = command.disabledError else { return nil }
    if case .notEnabled(_, let reason) = error { return reason.description }
    return error.description
  }

  /// Whether an attempt now would be taken.
  public var isEnabled: Bool {
    askPredicate()
    return command.disabledError == nil
  }

  /// Executes the command after what it needs; see `Command.execute`. Whoever calls it handles its
  /// error.
  ///
  /// - Parameter run: what it belongs to; needed commands are executed once in it.
  public func execute(
    _ input: LuaValue, in run: NeedsRun = NeedsRun()
  ) -> Execution<LuaValue, LuaValue> {
    let script = start(input, in: run)
    script.isObserved = true
    return script.execution
  }

  func start(_ input: LuaValue, in run: NeedsRun = NeedsRun()) -> ScriptExecution {
    askPredicate()
    let execution = command.execute(input)
    // A joined execution is known already.
    if let known = host.executions[execution.id] { return known }
    let script = ScriptExecution(execution, of: self, in: run)
    host.track(script)
    return script
  }

  private func askPredicate() {
    guard let (callback, answer) = predicate else { return }
    do { answer.sendNext(try callback.call().isTruthy) } catch {
      answer.sendNext(false)
      host.reportUnhandled(error)
    }
  }

  /// Keeps the command until the host lets go of it.
  func register() {
    isRegistered = host.interpreter.root(node.anchor)
  }

  func release() {
    guard isRegistered else { return }
    isRegistered = false
    host.interpreter.unroot(node.anchor)
  }
}

/// An execution of a script's command, from admission to its end.
final class ScriptExecution: @unchecked Sendable {
  // Unchecked: it belongs to the loop's thread.

  let execution: Execution<LuaValue, LuaValue>
  let command: ScriptCommand
  /// Whether somebody looks at its end; if nobody does, its error is reported.
  var isObserved = false
  /// Whether its work has been started once.
  var hasBegun = false
  /// What it belongs to, until it has begun: the run keeps its executions.
  var run: NeedsRun?

  init(
    _ execution: Execution<LuaValue, LuaValue>, of command: ScriptCommand, in run: NeedsRun
  ) {
    self.execution = execution
    self.command = command
    self.run = run
  }

  var id: Int { execution.id }
}

extension ScriptHost {
  /// Follows an execution to its end: it keeps its command meanwhile, and an error that nobody looks
  /// at is reported.
  func track(_ script: ScriptExecution) {
    executions[script.id] = script
    if onExecution(script.command, script.execution) { script.isObserved = true }
    interpreter.root(script.command.node.anchor)
    script.execution.subscribe(
      error: { error in
        self.forget(script)
        // A turn later, so that a rejection can be looked at by whoever attempted.
        self.scheduler.enqueue { self.reportUnobserved(script, error) }
      },
      completed: { self.forget(script) })
  }

  private func forget(_ script: ScriptExecution) {
    executions[script.id] = nil
    script.run = nil
    interpreter.unroot(script.command.node.anchor)
  }

  private func reportUnobserved(_ script: ScriptExecution, _ error: any Error) {
    guard !script.isObserved, script.command.errorObservers == 0 else { return }
    var failure = failure(of: error)
    failure.command = failure.command ?? script.command.name
    failure.execution = script.id
    reportUnhandled(failure)
  }
}
