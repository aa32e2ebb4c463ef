import EventLoop
import LuaRuntime
import Reactive

/// The loop as what runs on it sees it: work that is scheduled by code with a deadline has the same
/// one, so that a timeout reaches code behind a timer or a hop.
final class InheritedDeadline: MainLoop {
  private let loop: EventLoop
  private let interpreter: LuaInterpreter

  init(_ loop: EventLoop, _ interpreter: LuaInterpreter) {
    self.loop = loop
    self.interpreter = interpreter
  }

  var isCurrent: Bool { loop.isCurrent }

  func enqueue(_ job: @escaping @Sendable () -> Void) {
    loop.enqueue(inheriting(job))
  }

  func startTimer(
    _ item: ScheduledWork, after delay: Duration, every interval: Duration?, leeway: Duration,
    _ fire: @escaping @Sendable () -> Void
  ) {
    loop.startTimer(item, after: delay, every: interval, leeway: leeway, inheriting(fire))
  }

  private func inheriting(_ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    // One that has passed has done its work; what follows from that is no part of it.
    guard loop.isCurrent, let deadline = interpreter.deadline, deadline > LuaInterpreter.now else {
      return work
    }
    return { [interpreter] in interpreter.withDeadline(deadline, work) }
  }
}
