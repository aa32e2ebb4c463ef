import LuaRuntime
import Platform
import Reactive

/// The steps of a command, executed one after the other for one execution. Confined to the loop's
/// thread.
struct WorkRun {
  unowned(unsafe) let host: ScriptHost
  let work: CommandWork
  /// Returns the function of the command at a position.
  let function: (_ position: Int) -> LuaValue
  /// The execution that it works for; nil if that is unknown.
  let execution: ScriptExecution?
  let input: LuaValue

  /// Sends the values of the steps. Stops at the first failure, which names the step if there may
  /// be several.
  var signal: Signal<LuaValue> {
    execution?.isWorking = true
    guard work.isList else { return signal(of: work.steps[0]) }
    let count = work.steps.count
    return .concat(
      work.steps.enumerated().map { index, step in
        let begun = WorkStep(
          number: index + 1, count: count,
          executing: step.text { host.placeOfFunction(function($0)) })
        return begin(begun, signal(of: step)).catch { [host] error in
          .error(host.error(error, of: begun))
        }
      })
  }

  /// Reports that a step begins when its signal is subscribed.
  private func begin(_ step: WorkStep, _ signal: Signal<LuaValue>) -> Signal<LuaValue> {
    guard let execution else { return signal }
    return Signal(
      source: onLoop { observer, subscription in
        host.observers.began(step, of: execution.id)
        signal.observe(observer, in: subscription)
      })
  }

  private func signal(of step: CommandWork.Step) -> Signal<LuaValue> {
    switch step {
    case .function(let position): call(function: position)
    case .command(let need): CommandStep(host: host, need: need, execution: execution).signal
    case .line, .script, .program:
      start(
        execution?.scriptCommand.process(of: step, in: work, input) ?? ProcessOptions(argv: []))
    }
  }

  private func call(function position: Int) -> Signal<LuaValue> {
    let result = Signal<LuaValue>(
      source: onLoop { observer, subscription in
        host.within(execution) {
          let function = function(position)
          if work.isList { host.echo(function: function, for: execution) }
          let run = CoroutineRun(host, observer.weighing, subscription, resultUse: .signalOrValue)
          run.refuse(.mistakes)
          run.start(function) { stack in
            stack.push(input)
            run.pushEmit(on: stack)
            return 2
          }
        }
      })
    return execution?.waitingForStarted(result) ?? result
  }

  private func start(_ options: ProcessOptions) -> Signal<LuaValue> {
    var options = options
    options.function = work.field
    let maker = { [weak execution] in Purpose(execution: execution) }
    let process = ProcessSignal(host: host, options: options, maker: maker).signal
    return Signal(
      source: onLoop { observer, subscription in
        host.within(execution) { process.observe(observer, in: subscription) }
      })
  }
}

extension ScriptHost {
  /// Returns an error that names the step in which it has occurred.
  fileprivate func error(_ error: any Error, of step: WorkStep) -> any Error {
    var failure = failure(of: error)
    guard failure.kind != .cancelled else { return error }
    // The message is that of an execution inside it.
    if failure.execution != nil {
      failure.step = step.place
    } else {
      failure.message = "\(step.place): \(failure.message)"
    }
    return failure
  }
}
