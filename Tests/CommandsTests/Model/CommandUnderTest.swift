import Commands
import Reactive

/// A real command that takes the same steps as the model.
final class CommandUnderTest {
  private let shop: Workshop
  private let command: Command<Int, String>
  private let condition = BehaviorSubject(true)
  private(set) var executions: [Execution<Int, String>] = []

  init(_ setting: Setting, _ shop: Workshop) {
    self.shop = shop
    command = Command(
      enabled: condition, scheduler: shop.scheduler,
      concurrencyLimit: ConcurrencyLimit(setting.limit), whenBusy: setting.policy
    ) { input in
      setting.isSlow ? shop.slowSignal(input) : shop.signal(input)
    }
    shop.journal.follow(command)
    _ = shop.journal.take()
  }

  var log: [String] { shop.journal.lines }
  var refusal: String? { command.disabledError?.kind }
  var active: [Int] { command.activeExecutionSignals.map(\.input) }
  var queue: [Int] { command.queuedExecutions.map(\.input) }

  /// Ends everything and takes the turns that this needs. True if nothing is left.
  func isReleasedAtTheEnd() -> Bool {
    for number in executions.indices {
      executions[number].cancel()
      shop.advance()
      shop.finishTeardown(number)
    }
    shop.advance()
    return active.isEmpty && queue.isEmpty && shop.scheduler.pendingCount == 0
  }

  func take(_ step: Step) {
    switch step {
    case .execute: execute()
    case .send(let number): if exists(number) { shop.work(number).sendNext("value") }
    case .complete(let number): if exists(number) { shop.work(number).sendCompleted() }
    case .fail(let number): if exists(number) { shop.work(number).sendError(TestError.failure) }
    case .cancel(let number):
      if exists(number), executions[number].input == number { executions[number].cancel() }
    case .endTeardown(let number): shop.finishTeardown(number)
    case .condition(let value): condition.sendNext(value)
    case .limit(let value): command.concurrencyLimit = ConcurrencyLimit(value)
    case .policy(let value): command.whenBusy = value
    case .turn: shop.advance()
    }
  }

  private func exists(_ number: Int) -> Bool { executions.indices.contains(number) }

  private func execute() {
    let number = executions.count
    let execution = command.execute(number)
    executions.append(execution)
    let journal = shop.journal
    guard execution.input == number else {
      return journal.note("\(number) is \(execution.input)")
    }
    execution.subscribe(
      next: { journal.note("\(number) \($0)") },
      error: { error in
        journal.note("\(number) error \((error as? CommandError)?.kind ?? "\(error)")")
      },
      completed: { journal.note("\(number) completed") })
  }
}
