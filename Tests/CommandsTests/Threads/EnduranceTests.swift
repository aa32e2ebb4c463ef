import Commands
import Platform
import Reactive
import ReactiveTesting
import Synchronization
import Testing

/// Many executions of one command leave nothing behind.
@Suite(.serialized) struct EnduranceTests {
  private static let executions = LongRun.isEnabled ? 1_000_000 : 4_000

  /// The pages of the process that are in memory, in bytes.
  private var residentMemory: Int {
    guard let file = fopen("/proc/self/statm", "re") else { return 0 }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 128)
    guard fgets(&buffer, Int32(buffer.count), file) != nil else { return 0 }
    let fields = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
      .split(separator: " ")
    return (Int(fields[1]) ?? 0) * Int(getpagesize())
  }

  private final class Counted: Sendable {
    static let alive = Atomic<Int>(0)
    init() { Self.alive.wrappingAdd(1, ordering: .relaxed) }
    deinit { Self.alive.wrappingSubtract(1, ordering: .relaxed) }
  }

  /// How an execution ends.
  enum End: CaseIterable, Sendable {
    case completion, failure, cancellation, rejection, queue, timeout
  }

  @Test(.timeLimit(.minutes(10)), arguments: End.allCases)
  func executionsLeaveNothingBehind(_ end: End) throws {
    let scheduler = TestScheduler()
    let command = Command<Int, Counted>(
      scheduler: scheduler, whenBusy: end == .queue ? .queue() : .reject,
      options: ExecutionOptions(timeout: end == .timeout ? .seconds(1) : nil)
    ) { _ in
      let token = Counted()
      return Signal { observer, subscription in
        observer.next(token)
        switch end {
        case .completion, .queue: observer.end(.completed)
        case .failure: observer.end(.error(TestError.failure))
        case .cancellation, .rejection, .timeout:
          subscription.add { withExtendedLifetime(token) {} }
        }
      }
    }
    command.executions.subscribe(next: { $0.subscribe(error: { _ in }) })
    command.executing.subscribe()
    command.enabled.subscribe()
    command.errors.subscribe()
    command.disabledErrors.subscribe()
    func round(_ number: Int) {
      let execution = command.execute(number)
      if end == .rejection || end == .queue { command.execute(number) }
      scheduler.advance(by: end == .timeout ? .seconds(1) : .zero)
      if end == .cancellation || end == .rejection {
        execution.cancel()
        scheduler.advance()
      }
    }
    for number in 0..<500 { round(number) }
    let before = residentMemory
    for number in 0..<Self.executions { round(number) }
    // Of a million executions eight bytes each would show. A short run is not alone in the process,
    // and a long one should be: its filter is `EnduranceTests`.
    if LongRun.isEnabled { #expect(residentMemory - before < 8_000_000) }
    // The token is in the record of the execution and in the closures of its work.
    #expect(Counted.alive.load(ordering: .relaxed) == 0)
    #expect(command.activeExecutionSignals.isEmpty && command.queuedExecutions.isEmpty)
    try scheduler.expectIdle()
  }

  @Test(.timeLimit(.minutes(5))) func aLongQueueIsWorkedOff() throws {
    let count = LongRun.isEnabled ? 100_000 : 4_000
    let scheduler = TestScheduler()
    let command = Command<Int, Int>(scheduler: scheduler, whenBusy: .queue()) { .just($0) }
    let order = Mutex<[Int]>([])
    command.executions.subscribe(next: { execution in
      order.withLock { $0.append(execution.input) }
    })
    for number in 0..<count { command.execute(number) }
    #expect(command.queuedExecutions.count == count - 1)
    scheduler.advance()
    #expect(order.withLock { $0 } == Array(0..<count))
    #expect(command.queuedExecutions.isEmpty)
  }

  @Test(.timeLimit(.minutes(5))) func aLongQueueIsCancelledFromAnyPlace() {
    let scheduler = TestScheduler()
    let command = Command<Int, Int>(scheduler: scheduler, whenBusy: .queue()) { _ in .never() }
    let executions = (0..<2_000).map { command.execute($0) }
    var random = SplitMix(seed: 1)
    for execution in executions.dropFirst().shuffled(using: &random).dropLast(3) {
      execution.cancel()
    }
    let left = executions.dropFirst().filter { $0.state == .queued }
    #expect(command.queuedExecutions.map(\.id) == left.map(\.id))
    #expect(left.count == 3)
  }

  @Test(.timeLimit(.minutes(5))) func droppingACommandWithALongQueueUsesNoStack() {
    let scheduler = TestScheduler()
    var command: Command<Int, Int>? = Command(scheduler: scheduler, whenBusy: .queue()) { _ in
      .never()
    }
    let count = LongRun.isEnabled ? 1_000_000 : 20_000
    let last = (0..<count).map { command?.execute($0) }.last
    command = nil
    scheduler.advance()
    #expect(last??.state == .cancelled)
  }
}
