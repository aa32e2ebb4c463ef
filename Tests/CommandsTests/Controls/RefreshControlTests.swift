import Commands
import Reactive
import ReactiveTesting
import Testing

@Suite struct RefreshControlTests {
  let shop = Workshop()

  @Test func theRefreshEndsOnTheSchedulerAfterTheExecution() {
    let puller = Puller()
    let command = shop.command()
    puller.command = command
    puller.changeValue()
    shop.advance()
    #expect(shop.calls == [1])
    shop.work(1).sendCompleted()
    #expect(puller.journal.lines.isEmpty)
    shop.advance()
    #expect(puller.journal.lines == ["end"])
  }

  @Test func anErrorEndsTheRefreshToo() {
    let puller = Puller()
    let command = shop.command()
    let errors = Recorder(command.errors)
    puller.command = command
    puller.changeValue()
    shop.advance()
    shop.work(1).sendError(TestError.failure)
    shop.advance()
    #expect(puller.journal.lines == ["end"])
    #expect(errors.values.count == 1)
  }

  @Test func aRejectedRefreshEnds() {
    let puller = Puller()
    puller.command = shop.command(enabled: BehaviorSubject(false))
    puller.changeValue()
    shop.advance()
    #expect(puller.journal.lines == ["end"])
  }

  @Test func queuedRefreshesEndOneByOne() {
    let puller = Puller()
    puller.command = shop.command(whenBusy: .queue())
    for _ in 1...3 { puller.changeValue() }
    shop.advance()
    for input in 1...3 {
      #expect(shop.calls.last == input)
      shop.work(input).sendCompleted()
      shop.advance()
      #expect(puller.journal.lines.count == input)
    }
  }

  @Test func aRefreshDoesNotEndBeforeThoseThatWereAskedForEarlier() {
    let puller = Puller()
    puller.command = shop.command(limit: .unlimited)
    for _ in 1...3 { puller.changeValue() }
    shop.advance()
    shop.work(2).sendCompleted()
    shop.work(3).sendCompleted()
    shop.advance()
    #expect(puller.journal.lines == [])
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(puller.journal.lines == ["end", "end", "end"])
  }

  @Test func aRefreshUnderWayEndsAlthoughTheControlIsRebound() {
    let puller = Puller()
    let first = shop.command()
    puller.command = first
    puller.changeValue()
    shop.advance()
    puller.command = nil
    shop.work(1).sendCompleted()
    shop.advance()
    #expect(puller.journal.lines == ["end"])
  }
}
