import LuaRuntime
import Platform
import Reactive

/// The work that code of a script belongs to, and passes on to all that it starts: an execution, or
/// the questions of a command's definition. Confined to the loop's thread.
struct Purpose {
  /// The execution whose work it is.
  var execution: ScriptExecution?
  /// The working context of the questions of a definition; an execution has its own.
  var surroundings: Surroundings?

  var isNone: Bool { execution == nil && surroundings == nil }

  /// The variables that it begins with; nil for those of its interpreter.
  var caller: CallerEnvironment? { execution?.caller ?? surroundings?.place.caller }

  /// True if it is that of a service, or the probe of one.
  var isOfService: Bool { surroundings?.isOfService == true || execution?.serviceAround != nil }

  /// The working context of processes; nil for that of the program.
  var place: ProcessContext? { execution?.place ?? surroundings?.place }

  /// True if values of `rac.lazy` in the variables of its processes are still to be computed. An
  /// execution computes its own before its work begins.
  var isMarked: Bool {
    execution?.place == nil
      && surroundings?.place.variables.contains { $0.value.map(LazyText.isMarked) == true } == true
  }
}

/// The working context of the questions of a definition: of its conditions, and of the functions that
/// return what it needs and what files it reads and makes. Confined to the loop's thread.
final class Surroundings {
  var place: ProcessContext
  /// True if the questions are those of a probe.
  var isOfService = false

  init(_ place: ProcessContext) { self.place = place }
}

extension Purpose {
  /// That of an execution, or of nothing but a caller.
  init(_ execution: ScriptExecution?, for caller: CallerEnvironment?) {
    self.execution = execution
    if execution == nil, let caller, !caller.isOwn {
      surroundings = Surroundings(ProcessContext(caller))
    }
  }
}

extension ExecutionContext {
  /// Returns an observer that receives events as part of the work that subscribes now, whoever sends
  /// them; one that belongs to no work receives them as part of the sender's.
  func receiving(_ observer: Observer<LuaValue>) -> Observer<LuaValue> {
    purpose.isNone ? observer : receivingAlways(observer)
  }

  /// Returns the same observer for signals of commands, whose observers belong to no execution that
  /// they observe.
  func receivingAlways(_ observer: Observer<LuaValue>) -> Observer<LuaValue> {
    let purpose = purpose
    let (next, batch, end) = (observer.next, observer.batch, observer.end)
    return Observer(
      next: onLoop { [self] value in serving(purpose) { next(value) } },
      batch: batch.map { batch in
        onLoop { [self] (values: Batch<LuaValue>) in serving(purpose) { batch(values) } }
      },
      end: onLoop { [self] termination in serving(purpose) { end(termination) } })
  }

  /// Returns the same job, which will run as part of the work that runs now.
  func keeping(_ job: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    guard !purpose.isNone else { return job }
    let purpose = purpose
    return onLoop { [self] in serving(purpose, job) }
  }
}

extension ScriptHost {
  /// Returns a signal whose events come from elsewhere than the work that subscribes: each subscriber
  /// receives them as part of its own work.
  func receiving(_ signal: Signal<LuaValue>) -> Signal<LuaValue> {
    let context = LoopBound(context)
    return Signal { observer, subscription in
      signal.observe(context.value.receiving(observer), in: subscription)
    }
  }
}
