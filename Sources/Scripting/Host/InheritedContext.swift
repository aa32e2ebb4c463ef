import EventLoop
import LuaRuntime
import Platform
import Reactive

/// The loop as seen by the code that runs on it. Scheduled work inherits the code's deadline, so
/// that a timeout reaches code behind a timer or a hop, and belongs to the same execution's and
/// observer's work.
final class InheritedContext: MainLoop {
  private let loop: EventLoop
  private let context: LoopBound<ExecutionContext>

  init(_ loop: EventLoop, _ context: ExecutionContext) {
    self.loop = loop
    self.context = LoopBound(context)
  }

  var isCurrent: Bool { loop.isCurrent }

  func enqueue(_ job: @escaping @Sendable () -> Void) {
    guard loop.isCurrent else { return loop.enqueue(job) }
    let job = context.value.inheriting(job)
    let observerWork = context.value.observerWork
    guard let item = observerWork.begin() else { return loop.enqueue(job) }
    loop.enqueue(
      onLoop {
        observerWork.within(true, job)
        item.end()
      })
  }

  func startTimer(
    _ item: ScheduledWork, after delay: Duration, every interval: Duration?, leeway: Duration,
    _ fire: @escaping @Sendable () -> Void
  ) {
    guard loop.isCurrent else {
      return loop.startTimer(item, after: delay, every: interval, leeway: leeway, fire)
    }
    var fire = context.value.inheriting(fire)
    let observerWork = context.value.observerWork
    if let work = observerWork.begin() {
      item.onDispose(onLoop(work.end))
      fire = onLoop { [fire] in
        observerWork.within(true, fire)
        if interval == nil { work.end() }
      }
    }
    loop.startTimer(item, after: delay, every: interval, leeway: leeway, fire)
  }
}
