import EventLoop
import LuaRuntime
import Platform
import Reactive

/// The services that an execution uses: it begins when all of them are ready. They may have been ready
/// before: a service restarts, and what has begun goes on meanwhile. Confined to the loop's thread.
package struct UsedServices {
  private var uses: [ServiceUse]

  package init(_ uses: [ServiceUse] = []) { self.uses = uses }

  /// The name of one of them; nil if there is none.
  var name: String? { uses.first?.command.name }

  mutating func add(_ others: UsedServices) { if !others.uses.isEmpty { uses += others.uses } }

  /// The first that is not ready.
  private var obstacle: ServiceUse? {
    uses.first { if case .ready = $0.readiness { false } else { true } }
  }

  /// True if an execution may begin.
  var areReady: Bool { obstacle == nil }

  /// The failure of an execution that uses one that is lost; nil if none is.
  var failure: Failure? {
    for use in uses {
      if case .lost(let failure) = use.readiness { return failure.neededAs(use.command.name) }
    }
    return nil
  }

  /// Calls `proceed` once when all are ready or one is lost, not inside this call.
  ///
  /// - Parameters:
  ///   - command: the command whose execution waits.
  ///   - isReported: true to report the wait after a second.
  func whenSettled(
    for command: ScriptCommand, in subscription: CompoundDisposable, isReported: Bool,
    _ proceed: @escaping () -> Void
  ) {
    guard let first = obstacle else {
      return command.host.scheduler.enqueue(
        onLoop { if !subscription.isDisposed { proceed() } })
    }
    let waiting = subscription.makeChild()
    if isReported {
      let timer = command.host.loop.timer(after: .seconds(1)) {
        command.host.observers.waits(
          Contention(
            command: command.name, resources: nil,
            holder: "'\((obstacle ?? first).command.name)' is not ready", isFirst: true))
      }
      timer.unref()
      waiting.add(onLoop { timer.cancel() })
    }
    for use in uses {
      follow(use, in: waiting) {
        waiting.dispose()
        proceed()
      }
    }
  }

  /// Calls `proceed` after the change of one with which all are ready or one is lost.
  private func follow(
    _ use: ServiceUse, in waiting: CompoundDisposable, _ proceed: @escaping () -> Void
  ) {
    use.whenChanged(in: waiting.makeChild()) {
      if failure != nil || areReady { return proceed() }
      follow(use, in: waiting, proceed)
    }
  }
}

extension ScriptExecution {
  /// Waits until the services that it uses are ready, which its time limit does not count, and gives back
  /// its resources meanwhile: a service may need them to start again.
  func awaitServices(in subscription: CompoundDisposable, _ proceed: @escaping () -> Void) {
    // Another attempt would change nothing.
    if let failure = services.failure { return fail(failure) }
    giveBackResources()
    let pause = pauseTimeLimit()
    services.whenSettled(for: scriptCommand, in: subscription, isReported: true) {
      pause.end()
      proceed()
    }
  }
}
