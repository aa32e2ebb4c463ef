import Reactive
import ReactiveTesting
import Testing

@Suite("startWith")
struct StartWithTests {
  let scheduler = TestScheduler()

  @Test("The value comes first, then all events of the source", arguments: ["|", "#", "!"])
  func values(end: String) throws {
    let source = try scheduler.cold("-a-b" + (end == "!" ? "" : end))
    try scheduler.expect(source.startWith("s"), "sa-b" + end)
  }

  @Test("Disposing from inside the value keeps the source from being subscribed to")
  func disposal() throws {
    let source = try scheduler.cold("-a")
    #expect(Recorder(source.startWith("s").take(1)).diagram == "(s|)")
    #expect(source.subscriptions == [])
  }
}
