import Commands
import Reactive
import ReactiveTesting
import Testing

/// Errors lead to their command without keeping it.
@Suite struct UntypedCommandTests {
  let shop = Workshop()

  private func anonymous() -> Command<Int, String> {
    Command(scheduler: shop.scheduler) { shop.signal($0) }
  }

  @Test func notEnabledLeadsToTheCommandAnAnonymousOneToo() throws {
    let (one, other) = (anonymous(), anonymous())
    let disabled = Recorder(one.disabledErrors)
    for command in [one, other] { command.execute(1) }
    let rejected = try #require(one.execute(2).error as? CommandError)
    shop.advance()
    #expect(rejected.command === one)
    #expect((rejected.command as? Command<Int, String>)?.activeExecutionSignals.count == 1)
    #expect(disabled.values.map { $0.command === one } == [true])
    #expect(one.disabledError?.command === one)
    #expect(rejected.description == "the command is not enabled: it is executing")
  }

  @Test func errorsAreEqualWhenTheyComeFromTheSameCommandForTheSameReason() {
    let (one, other) = (anonymous(), anonymous())
    for command in [one, other] { command.execute(1) }
    #expect(one.disabledError == one.disabledError)
    #expect(one.disabledError != other.disabledError)
    #expect(one.disabledError != .cancelled)
  }

  @Test func anErrorDoesNotKeepTheCommand() {
    var command: Command<Int, String>? = anonymous()
    weak let object = command
    let completed = Recorder(command!.enabled)
    command!.execute(1)
    let error = command!.execute(2).error as? CommandError
    shop.advance()
    command = nil
    #expect(object == nil)
    #expect(error?.command == nil)
    shop.advance()
    #expect(completed.isCompleted)
    #expect(error?.disabledReason == .busy(limit: .serial))
  }

  @Test func anExecutionLeadsToItsCommandWithoutKeepingIt() {
    var command: Command<Int, String>? = shop.command()
    let execution = command!.execute(1)
    #expect(execution.command === command)
    #expect(execution.commandName == "bench")
    command = nil
    #expect(execution.command == nil)
    #expect(execution.commandName == "bench")
  }

  @Test func otherErrorsLeadToNoCommand() {
    #expect(CommandError.cancelled.command == nil)
    #expect(CommandError.timeout(after: .seconds(1)).disabledReason == nil)
  }
}
