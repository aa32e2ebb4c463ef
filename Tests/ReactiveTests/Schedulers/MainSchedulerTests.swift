import Reactive
import Testing

@Suite("Main scheduler")
struct MainSchedulerTests {
  private let loop = HandLoop()
  private let scheduler: MainScheduler
  let log = Log()

  init() {
    scheduler = MainScheduler(loop: loop)
  }

  @Test("Work is always a hop, even from inside the loop, and first in first out")
  func hop() {
    scheduler.schedule {
      log.add("a")
      scheduler.schedule { log.add("c") }
      log.add("b")
    }
    #expect(log.lines == [])
    loop.turn()
    #expect(log.lines == ["a", "b"])
    loop.turn()
    #expect(log.lines == ["a", "b", "c"])
  }

  @Test("The scheduler is current in its work, timers included")
  func current() {
    scheduler.schedule { log.add("\(Scheduler.current === scheduler)") }
    scheduler.enqueue { log.add("\(Scheduler.current === scheduler)") }
    loop.turn()
    scheduler.schedule(after: .seconds(1)) { log.add("\(Scheduler.current === scheduler)") }
    scheduler.schedule(every: .seconds(1)) { log.add("\(Scheduler.current === scheduler)") }
    loop.fireTimers()
    #expect(log.lines == ["true", "true", "true", "true"])
    #expect(Scheduler.current == nil)
  }

  @Test("Disposed work does not run")
  func disposal() {
    scheduler.schedule { log.add("run") }.dispose()
    scheduler.schedule(every: .seconds(1)) { log.add("tick") }.dispose()
    loop.turn()
    loop.fireTimers()
    #expect(log.lines == [])
  }

  @Test("Delayed work runs once, repeated work each time")
  func timers() {
    scheduler.schedule(after: .seconds(1)) { log.add("once") }
    scheduler.schedule(every: .seconds(1)) { log.add("each") }
    loop.fireTimers()
    loop.fireTimers()
    #expect(log.lines == ["once", "each", "each"])
  }

  @Test("Work scheduled before another loop is used stays on the first")
  func use() {
    scheduler.schedule { log.add("first") }
    let other = HandLoop()
    scheduler.use(other)
    scheduler.schedule { log.add("second") }
    other.turn()
    #expect(log.lines == ["second"])
    loop.turn()
    #expect(log.lines == ["second", "first"])
  }

  @Test("Deliveries of two signals arrive in the order in which they were sent")
  func fifo() {
    let one = Subject<String>()
    let other = Subject<String>()
    one.deliverOn(scheduler).subscribe(next: { [log] in log.add($0) })
    other.deliverOn(scheduler).subscribe(next: { [log] in log.add($0) })
    one.sendNext("1")
    other.sendNext("2")
    one.sendNext("3")
    loop.turn()
    #expect(log.lines == ["1", "2", "3"])
  }

  @Test("The program's main scheduler runs on the main thread", .timeLimit(.minutes(5)))
  func program() async {
    let isCurrent = await withCheckedContinuation { continuation in
      Scheduler.main.schedule { continuation.resume(returning: Scheduler.main.isCurrent) }
    }
    #expect(isCurrent)
    #expect(!Scheduler.main.isCurrent)
  }
}
