import Commands
import Reactive
import ReactiveTesting
import Synchronization
import Testing

/// The ownership graph at `Command`, edge by edge: what lives, and what is released when.
@Suite struct OwnershipTests {
  let shop = Workshop()

  /// An object whose life tells that of the closure that holds it.
  private final class Token: Sendable {}

  @Test func aCommandReleasesItsSignalBlockAndCore() {
    var token: Token? = Token()
    weak let released = token
    var command: Command<Int, Int>? = Command(scheduler: shop.scheduler) { [token] input in
      withExtendedLifetime(token) { .just(input) }
    }
    token = nil
    command?.execute(1)
    shop.advance()
    #expect(released != nil)
    command = nil
    shop.advance()
    #expect(released == nil)
  }

  @Test func anExecutionThatHasEndedIsReleased() {
    let command = shop.command()
    weak let released = command.execute(1)
    shop.advance()
    #expect(released != nil)
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(released == nil)
  }

  @Test func anExecutionThatWasCancelledIsReleased() {
    let command = shop.command()
    weak let released = command.execute(1)
    shop.advance()
    released?.cancel()
    shop.advance()
    #expect(released == nil)
  }

  @Test func anExecutionThatWasRejectedIsReleasedAtOnce() {
    let command = shop.command()
    command.execute(1)
    weak let released = command.execute(2)
    #expect(released == nil)
  }

  @Test(arguments: [
    ExecutionOptions(), ExecutionOptions(timeout: .seconds(9), retry: .init(times: 2)),
  ])
  func anEndedExecutionLetsGoOfItsWork(_ options: ExecutionOptions) {
    let probe = Probe()
    let subject = Subject<Int>()
    let command = Command<Int, Int>(scheduler: shop.scheduler, options: options) { _ in
      let token = Token()
      probe.watch(token)
      return Signal { observer, subscription in
        withExtendedLifetime(token) { subject.observe(observer, in: subscription) }
      }
    }
    let execution = command.execute(1)
    #expect(probe.isAlive)
    shop.advance()
    subject.sendCompleted()
    shop.advance()
    #expect(execution.state == .completed)
    #expect(!probe.isAlive)
  }

  private final class Probe: Sendable {
    private struct Watched {
      weak var token: Token?
    }
    private let watched = Mutex(Watched())
    var isAlive: Bool { watched.withLock { $0.token != nil } }
    func watch(_ token: Token) { watched.withLock { $0.token = token } }
  }

  @Test func workThatCanNeverEndGoesWithItsCommand() {
    var command: Command<Int, Int>? = Command(scheduler: shop.scheduler) { _ in .never() }
    weak let execution = command?.execute(1)
    shop.advance()
    #expect(execution != nil)
    command = nil
    shop.advance()
    #expect(execution == nil)
  }

  @Test func aHeldExecutionDoesNotKeepItsCommand() {
    var command: Command<Int, String>? = shop.command()
    weak let released = command
    let execution = command?.execute(1)
    shop.advance()
    command = nil
    #expect(released == nil)
    #expect(execution?.state == .running)
  }

  @Test func subscribersOfAnExecutionDoNotKeepIt() {
    let command = shop.command()
    weak let released = command.execute(1)
    let recorder = Recorder<String>()
    released.map { recorder.observe($0) }
    shop.advance()
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(released == nil)
    #expect(recorder.isCompleted)
  }
}
