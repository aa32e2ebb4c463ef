import Commands
import LuaRuntime
import Reactive

/// The kinds of userdata, one of each for the process.
enum Userdata {
  static let signal = LuaUserdataType<SignalObject>("signal")
  static let subject = LuaUserdataType<SubjectObject>("subject", parent: signal)
  static let execution = LuaUserdataType<ExecutionObject>("execution", parent: signal)
  static let group = LuaUserdataType<GroupObject>("group", parent: signal)
  static let connection = LuaUserdataType<ConnectionObject>("connection")
  static let scheduler = LuaUserdataType<SchedulerObject>("scheduler")
  static let testScheduler = LuaUserdataType<TestSchedulerObject>(
    "test scheduler", parent: scheduler)
  static let command = LuaUserdataType<CommandObject>("command")
  static let disposable = LuaUserdataType<DisposableObject>("disposable")
  static let subscriber = LuaUserdataType<SubscriberObject>("subscriber")
}

/// A signal in the hands of a script.
class SignalObject {
  /// Set once, right after the userdata exists.
  fileprivate(set) var signal: Signal<LuaValue>
  /// What the script calls it.
  var name: String?
  /// The operators in a row that make it, if it is made so.
  var operators: FusedOperators?

  /// Whether the signal lives without its userdata.
  let isFree: Bool

  init(_ signal: Signal<LuaValue> = .never(), isFree: Bool = false) {
    self.signal = signal
    self.isFree = isFree
  }

  /// Where it was made, while nobody has used it and that is worth a warning.
  var making: Making?
  /// Whether a subject is among what it is made of, so that values may pass while nobody is subscribed;
  /// known of signals that are made while conditions are deferred.
  var dependsOnSubject = false

  /// Somebody uses it as a signal.
  func noteObserved() {
    guard let making else { return }
    making.use()
    self.making = nil
  }

  func become(_ signal: Signal<LuaValue>) {
    self.signal = signal
  }
}

/// A subject in the hands of a script.
final class SubjectObject: SignalObject {
  let subject: Subject<LuaValue>

  init(_ subject: Subject<LuaValue>, _ interpreter: LuaInterpreter) {
    self.subject = subject
    super.init(SubjectSignal(subject, interpreter))
    dependsOnSubject = true
  }
}

/// An execution in the hands of a script.
final class ExecutionObject: SignalObject {
  /// The user value that holds the command's userdata.
  static let commandSlot = 1

  let script: ScriptExecution

  init(_ script: ScriptExecution) {
    self.script = script
    super.init(script.signal)
  }

  override func noteObserved() { script.isObserved = true }
}

/// A group of `group_by` in the hands of a script.
final class GroupObject: SignalObject {
  let key: LuaValue

  init(_ group: GroupedSignal<LuaValue, LuaValue>) {
    key = group.key
    super.init(group)
  }
}

/// A connection of `publish` in the hands of a script.
final class ConnectionObject {
  let connection: MulticastConnection<LuaValue>

  init(_ connection: MulticastConnection<LuaValue>) {
    self.connection = connection
  }
}

/// A scheduler in the hands of a script.
class SchedulerObject {
  let scheduler: Scheduler
  let name: String

  init(_ scheduler: Scheduler, named name: String) {
    self.scheduler = scheduler
    self.name = name
  }
}

/// A virtual time in the hands of a script.
final class TestSchedulerObject: SchedulerObject {
  let time: VirtualTime

  init(_ time: VirtualTime, of scheduler: MainScheduler) {
    self.time = time
    super.init(scheduler, named: "test")
  }
}

/// A command in the hands of a script.
final class CommandObject: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  /// Set right after the userdata exists, which the command refers to.
  var script: ScriptCommand?
}

/// A subscription in the hands of a script.
final class DisposableObject {
  let disposable: CompoundDisposable

  init(_ disposable: CompoundDisposable) {
    self.disposable = disposable
  }
}

/// The receiving end of `rac.create` in the hands of a script.
final class SubscriberObject {
  let subscriber: Subscriber<LuaValue>

  init(_ subscriber: Subscriber<LuaValue>) {
    self.subscriber = subscriber
  }
}
