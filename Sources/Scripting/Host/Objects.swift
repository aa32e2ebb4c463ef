import Commands
import LuaRuntime
import Reactive

/// The kinds of userdata, one of each per process.
enum Userdata {
  static let signal = LuaUserdataType<SignalObject>("signal")
  static let subject = LuaUserdataType<SubjectObject>("subject", parent: signal)
  /// Has what only some subjects have: of a type without properties Lua finds methods without a call.
  static let behaviorSubject = LuaUserdataType<SubjectObject>("subject", parent: subject)
  static let execution = LuaUserdataType<ScriptExecution>("execution", apartFrom: signal)
  static let group = LuaUserdataType<GroupObject>("group", parent: signal)
  static let connection = LuaUserdataType<ConnectionObject>("connection")
  static let scheduler = LuaUserdataType<SchedulerObject>("scheduler")
  static let testScheduler = LuaUserdataType<TestSchedulerObject>(
    "test scheduler", parent: scheduler)
  static let command = LuaUserdataType<CommandObject>("command")
  static let disposable = LuaUserdataType<DisposableObject>("disposable")
  static let subscriber = LuaUserdataType<SubscriberObject>("subscriber")
  static let lazy = LuaUserdataType<LazyObject>("lazy")
}

/// A signal held by a script.
class SignalObject {
  /// Set once, right after the userdata exists.
  private var made: Signal<LuaValue>?
  /// The name that the script gave it.
  var name: String?
  /// The chain of operators that makes it, if it is made by one.
  var operators: FusedOperators?

  /// True if the signal lives without its userdata.
  let isFree: Bool

  init(_ signal: Signal<LuaValue>? = nil, isFree: Bool = false) {
    made = signal
    self.isFree = isFree
  }

  final var signal: Signal<LuaValue> { made ?? makeSignal() }

  /// Makes the signal of an object that has none of its own yet.
  func makeSignal() -> Signal<LuaValue> { .never() }

  /// The record of its making, while it is unused and its loss would be a failure.
  var making: Making?
  /// True if it is made from a subject, so that values may pass while there is no subscriber; known
  /// for signals that are made while conditions are deferred.
  var dependsOnSubject = false

  /// Marks the signal as used.
  func noteObserved() {
    guard let making else { return }
    making.use()
    self.making = nil
  }

  final func become(_ signal: Signal<LuaValue>) { made = signal }
}

/// A subject held by a script.
final class SubjectObject: SignalObject {
  let subject: Subject<LuaValue>
  /// The short way of values that scripts send.
  let way = LuaSendingWay()

  init(_ subject: Subject<LuaValue>, _ host: ScriptHost) {
    self.subject = subject
    super.init(SubjectSignal(subject, host, way))
    dependsOnSubject = true
  }
}

/// Stands in for the object of an execution, which is a signal itself, where code needs a signal's.
final class ExecutionSignal: SignalObject {
  let execution: ScriptExecution

  init(_ execution: ScriptExecution) {
    self.execution = execution
  }

  override func noteObserved() { execution.isObserved = true }

  /// The execution as scripts see it.
  override func makeSignal() -> Signal<LuaValue> {
    execution.scriptCommand.host.receiving(
      Signal { [execution] observer, subscription in
        execution.sendTaken(
          to: Observer(next: observer.next, batch: observer.batch) {
            observer.end(execution.ofScript($0))
          }, in: subscription)
      })
  }
}

/// A group of `group_by` held by a script.
final class GroupObject: SignalObject {
  let key: LuaValue

  init(_ group: GroupedSignal<LuaValue, LuaValue>) {
    key = group.key
    super.init(group)
  }
}

/// A connection of `publish` held by a script.
final class ConnectionObject {
  let connection: MulticastConnection<LuaValue>
  /// The error of its work, unless that goes to a subject of the script.
  private let error: UnreceivedError?

  init(_ connection: MulticastConnection<LuaValue>, _ error: UnreceivedError?) {
    self.connection = connection
    self.error = error
  }

  /// Returns the same signal of the connection, whose subscribers receive the error.
  func received(from events: Signal<LuaValue>) -> Signal<LuaValue> {
    error?.received(from: events) ?? events
  }
}

/// A scheduler held by a script.
class SchedulerObject {
  let scheduler: Scheduler
  let name: String

  init(_ scheduler: Scheduler, named name: String) {
    self.scheduler = scheduler
    self.name = name
  }
}

/// A virtual time held by a script.
final class TestSchedulerObject: SchedulerObject {
  let time: VirtualTime

  init(_ time: VirtualTime, of scheduler: MainScheduler) {
    self.time = time
    super.init(scheduler, named: "test")
  }
}

/// A command held by a script.
final class CommandObject {
  /// The command; set right after the creation of the userdata, which the command refers to.
  var script: ScriptCommand?
}

/// A subscription held by a script.
final class DisposableObject {
  let disposable: CompoundDisposable

  init(_ disposable: CompoundDisposable) {
    self.disposable = disposable
  }
}

/// The receiving end of `rac.create` held by a script.
final class SubscriberObject {
  let subscriber: Subscriber<LuaValue>

  init(_ subscriber: Subscriber<LuaValue>) {
    self.subscriber = subscriber
  }
}
