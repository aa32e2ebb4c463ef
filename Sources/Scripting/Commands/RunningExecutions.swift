import Commands
import EventLoop
import LuaRuntime
import Platform
import Reactive

extension ScriptHost {
  /// Pushes the userdata of an execution, of which there is only one while it runs. [-0, +1] needs 3
  func push(_ script: ScriptExecution, on stack: LuaStack) {
    if let userdata = script.userdata { return stack.push(userdata) }
    stack.push(script, as: Userdata.execution, with: script.scriptCommand.node.anchor)
    guard script.keepsCommand else { return }
    stack.copy(from: stack.top)
    script.userdata = stack.keep()
  }

  /// Follows an execution to its end: retains its command meanwhile, and reports an error that is
  /// not observed.
  func track(_ script: ScriptExecution) {
    executions.insert(script)
    script.keepsCommand = interpreter.root(script.scriptCommand.node.anchor)
    script.follower = self
    script.outer?.begins(script)
    if script.isObserverWork { script.countObserverWork() }
    // What a service does belongs to those who use it.
    if script.served == nil, !observers.ofExecutions.isEmpty,
      observers.executes(script, of: script.scriptCommand, within: script.origin)
    {
      script.isObserved = true
    }
    if script.hasEnded, let termination = script.end { forget(script, termination) }
  }

  /// Handles the end of a command's execution.
  func executionEnds(_ execution: Execution<LuaValue, LuaValue>, _ termination: Termination) {
    let script = execution.script
    // What has ended while it was being requested is followed afterwards.
    if script.slot != nil { forget(script, termination) }
  }

  private func forget(_ script: ScriptExecution, _ termination: Termination) {
    executions.remove(script)
    script.releaseHeldRuns()
    script.releaseShared()
    if let userdata = script.userdata.take() { interpreter.release(userdata) }
    if script.keepsCommand {
      script.keepsCommand = false
      interpreter.unroot(script.scriptCommand.node.anchor)
    }
    defer {
      script.follower = nil
      script.endObserverWork()
    }
    guard case .error(let error) = termination else {
      script.outer?.innerEnded(script)
      return
    }
    noteFailure(error, of: script)
    // One turn later, so that the caller can observe a rejection.
    scheduler.enqueue { self.reportUnobserved(script, error) }
  }

  private func reportUnobserved(_ script: ScriptExecution, _ error: any Error) {
    defer {
      innerFailures[script.id] = nil
      script.outer?.innerEnded(script)
    }
    guard !script.isObserved, !script.hasErrorObservers else { return }
    if script.outer?.fails(withErrorOf: script, error) == true { return }
    reportUnhandled(failure(of: error, endOf: script.scriptCommand.name, script.id))
  }
}

/// The executions that have not ended, of named and anonymous commands.
struct RunningExecutions {
  private var all: ContiguousArray<ScriptExecution> = []

  var isEmpty: Bool { all.isEmpty }
  var count: Int { all.count }
  /// The number of those that are executed for services.
  private(set) var ofServices = 0

  /// In the order of their requests.
  var sorted: [ScriptExecution] { all.sorted { $0.id < $1.id } }

  mutating func insert(_ script: ScriptExecution) {
    script.slot = all.count
    all.append(script)
    script.isOfService = script.serviceAround != nil
    if script.isOfService { ofServices += 1 }
  }

  /// Removes an execution; the last one takes its place.
  mutating func remove(_ script: ScriptExecution) {
    guard let slot = script.slot else { return }
    script.slot = nil
    if script.isOfService { ofServices -= 1 }
    let last = all.removeLast()
    guard last !== script else { return }
    all[slot] = last
    last.slot = slot
  }
}
