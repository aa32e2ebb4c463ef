import LuaRuntime
import Platform
import Reactive

/// The receivers of an execution's values among the code of scripts. Confined to the loop's thread.
final class OutputTakers {
  private var count = 0

  var areNone: Bool { count == 0 }

  /// Counts a receiver until its subscription is disposed.
  func add(in subscription: CompoundDisposable) {
    count += 1
    subscription.add(onLoop { self.count -= 1 })
  }
}

extension ScriptHost {
  /// Shows what an execution inside another one sends while nothing takes it, as the output of a program
  /// that another one starts is shown.
  func showUntakenOutput(of script: ScriptExecution) {
    guard script.origin != script.id, let shown = observers.showsOutput(of: script.origin) else {
      return
    }
    let takers = script.takers
    // What a command needs has no other receiver; the values of any other execution may still be
    // taken, and then standard error must not be among them.
    let isNeeded = script.isNeeded
    let subscription = subscriptions.makeChild()
    script.observe(
      Observer(
        next: onLoop { value in
          if takers.areNone { shown.next(value) }
        },
        batch: onLoop { (batch: Batch<LuaValue>) in
          guard takers.areNone else { return }
          if !isNeeded, let question = batch as? JoinedStreams { return question.answer(false) }
          shown.send(batch)
        },
        end: onLoop { _ in
          shown.end(.completed)
          subscription.dispose()
        }), in: subscription)
  }

  /// Returns an observer that drops the values of a signal. What processes print is shown as output of
  /// the execution whose work runs, unless a function of the script has seen it on its way.
  func dropping(_ end: @escaping @Sendable (Termination) -> Void) -> Observer<LuaValue> {
    guard let execution = context.execution,
      let shown = observers.showsOutput(of: execution.origin)
    else { return Observer(next: { _ in }, end: end) }
    let source = DroppedSource()
    return Observer(
      next: onLoop { value in
        if source.isProcess, case .string = value { shown.next(value) }
      },
      batch: onLoop { (batch: Batch<LuaValue>) in
        switch batch {
        case is JoinedStreams:
          source.isProcess = true
          shown.send(batch)
        case is TextBatch, is UnfinishedLine: shown.send(batch)
        default: if source.isProcess, batch is LongString { shown.send(batch) }
        }
      },
      end: onLoop { termination in
        shown.end(.completed)
        end(termination)
      })
  }
}

/// The source of values that are dropped. Confined to the loop's thread.
private final class DroppedSource {
  /// True once a process has asked for the receivers of its output: that question passes all operators
  /// but those that look at the values.
  var isProcess = false
}

extension Observer<LuaValue> {
  fileprivate func send(_ values: Batch<LuaValue>) {
    if let batch { batch(values) } else { values.forEach(next) }
  }
}
