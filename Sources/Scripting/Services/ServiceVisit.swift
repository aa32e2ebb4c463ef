import EventLoop
import LuaRuntime
import Platform
import Reactive

/// An execution of a service that somebody has asked for: it uses the service, which may be up, and
/// sends its lines until the service ends for good. Confined to the loop's thread.
final class ServiceVisit {
  private let call: Plan.Call
  private let execution: ScriptExecution
  private let observer: Observer<LuaValue>
  private let subscription: CompoundDisposable
  private var limit: ReadyLimit?
  private var status: ServiceStatus?
  /// What goes on with its use of the service after its end.
  private var rest: ServiceUse?
  /// The last lines that it has shown, as failures show them.
  private var shown: [String] = []

  fileprivate init(
    _ call: Plan.Call, _ execution: ScriptExecution, _ observer: Observer<LuaValue>,
    _ subscription: CompoundDisposable
  ) {
    (self.call, self.execution) = (call, execution)
    (self.observer, self.subscription) = (observer, subscription)
  }

  private var host: ScriptHost { call.command.host }

  fileprivate func start() {
    execution.noteUse(ofService: call.command.name)
    if call.command.service?.canBeReady == true {
      let limit = ReadyLimit(of: call.command) { [self] in observer.end(.error($0)) }
      self.limit = limit
      subscription.add(onLoop { limit.cancel() })
    }
    let caller = execution.caller ?? host.environment
    let kept = execution.outer == nil ? host.keptServices : nil
    let earlier = kept?.release(call)
    let use = host.services.use(call.command, call.input, for: caller) { [self] status in
      host.note(status, of: call)
      self.status = status
      rest?.note(status)
      host.scheduler.enqueue(
        onLoop { [self] in
          earlier?.use?.end()
          receive(status)
        })
    }
    subscription.add(
      onLoop { [self] in
        earlier?.use?.end()
        guard let kept, kept.keepsVisits else { return use.dispose() }
        let rest = ServiceUse(taking: use, of: call.command, status)
        rest.variables = earlier?.variables
        self.rest = rest
        kept.keep(rest, of: call)
      })
    let lines = host.services.output(of: call.command, call.input) { [self] in show($0) }
    subscription.add(lines)
  }

  private func receive(_ status: ServiceStatus) {
    guard !subscription.isDisposed else { return }
    limit?.note(status)
    // It has failed, or somebody has ended it, whom this one has not asked.
    guard status.state.isOver else { return }
    var failure = status.failureOfEnd
    failure.command = call.command.name
    failure.take(unseen(status.lines))
    observer.end(.error(failure))
  }

  /// Those of the last lines of a service that have not come yet, as they take another way.
  private func unseen(_ lines: [String]) -> [String] {
    let count = (0...lines.count).last { lines.prefix($0).elementsEqual(shown.suffix($0)) } ?? 0
    return Array(lines.dropFirst(count))
  }

  private func show(_ line: ServiceLine) {
    guard !subscription.isDisposed else { return }
    shown.append(line.textOfFailure)
    if shown.count > 2 * ServiceOutput.linesOfFailure {
      shown.removeFirst(ServiceOutput.linesOfFailure)
    }
    guard line.isError else { return observer.next(.string(LuaString(line.bytes))) }
    (line.bytes + [UInt8(ascii: "\n")]).withUnsafeBytes {
      host.observers.wroteErrors($0, of: execution.origin)
    }
  }
}

extension ScriptCommand {
  /// The work of an execution of a service that is a visit.
  func visit(_ input: LuaValue, for execution: ScriptExecution) -> Signal<LuaValue> {
    Signal(
      source: onLoop { [self] observer, subscription in
        let call = Plan.Call(self, input)
        if let failure = host.failureOfService(call, within: execution.outer) {
          return observer.end(.error(failure))
        }
        ServiceVisit(call, execution, observer, subscription).start()
      })
  }
}
