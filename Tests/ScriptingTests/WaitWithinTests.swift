import EventLoop
import Platform
import Testing

@testable import Scripting

@Suite("A wait for a place of a limit over the machine") struct WaitWithinTests {
  @Test("ends once the holder has recorded that this process works for it")
  func recordedLate() throws {
    let name = "deploy-\(getpid())-recorded-late"
    let script = try Script()
    defer { script.finish() }
    let places = SharedPlaces(MachineLimit.key(name), on: script.loop)
    let place = try #require(try places.take(of: 1))
    let holder = try #require(places.holders(of: 1).first)
    script.host.add(Recorder(place))
    let result = script.run(
      """
      local deploy = rac.command{name = "\(name)", across = "machine", when_busy = "queue",
        run = function() end}
      print(pcall(function() deploy:execute():wait() end))
      """)
    #expect(
      result.output == [
        "false\t'\(name)' is executed within itself and would wait for ever: process \(getpid()) in "
          + "\(holder.folder) has been executing it since \(localTimeText(holder.since)), and has "
          + "started this process"
      ])
  }

  /// Records this process as one that works for the holder of a place when somebody waits for that.
  private final class Recorder: HostObserver {
    private let place: SharedPlace

    init(_ place: SharedPlace) { self.place = place }

    func hostWaits(_ contention: Contention) { place.began(getpid()) }
  }
}
