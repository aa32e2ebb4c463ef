import Commands
import Reactive
import ReactiveTesting
import Testing

/// One test for each way through the diagram at `ExecutionState`.
@Suite struct StateTests {
  let shop = Workshop()

  private func states(_ execution: Execution<Int, String>) -> Recorder<ExecutionState> {
    Recorder(execution.states)
  }

  @Test func completion() {
    let command = shop.command()
    let states = states(command.execute(1))
    shop.advance()
    shop.work(1).sendCompleted()
    #expect(states.values == [.running, .completed])
    #expect(states.isCompleted)
  }

  @Test func failure() {
    let command = shop.command()
    let execution = command.execute(1)
    let states = states(execution)
    shop.advance()
    shop.work(1).sendError(TestError.failure)
    #expect(states.values == [.running, .failed])
    #expect(execution.error as? TestError == .failure)
  }

  @Test func timeout() {
    let command = shop.command(options: ExecutionOptions(timeout: .seconds(2)))
    let states = states(command.execute(1))
    shop.advance(by: .seconds(2))
    #expect(states.values == [.running, .failed])
  }

  @Test func cancellation() {
    let command = shop.command()
    let execution = command.execute(1)
    let states = states(execution)
    shop.advance()
    execution.cancel()
    #expect(states.values == [.running, .cancelled])
    #expect(states.isCompleted)
  }

  @Test func rejection() {
    let command = shop.command()
    command.execute(1)
    let execution = command.execute(2)
    #expect(states(execution).values == [.failed])
    #expect(states(execution).isCompleted)
  }

  @Test func aTurnInTheQueue() {
    let command = shop.command(whenBusy: .queue())
    command.execute(1)
    let execution = command.execute(2)
    let states = states(execution)
    shop.advance()
    #expect(states.values == [.queued])
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(states.values == [.queued, .running])
    shop.work(2).sendCompleted()
    #expect(states.values == [.queued, .running, .completed])
  }

  @Test func cancellationInTheQueue() {
    let command = shop.command(whenBusy: .queue())
    command.execute(1)
    let execution = command.execute(2)
    let states = states(execution)
    execution.cancel()
    shop.advance()
    #expect(states.values == [.queued, .cancelled])
  }

  @Test func aLateSubscriberGetsTheLastState() {
    let command = shop.command()
    let execution = command.execute(1)
    shop.advance()
    shop.work(1).sendCompleted()
    let states = states(execution)
    #expect(states.values == [.completed])
    #expect(states.isCompleted)
  }

  @Test func endedStatesAreThree() {
    let all: [ExecutionState] = [.queued, .running, .completed, .failed, .cancelled]
    #expect(all.filter(\.isEnded) == [.completed, .failed, .cancelled])
  }
}
