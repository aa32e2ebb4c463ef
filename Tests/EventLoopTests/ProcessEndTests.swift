import EventLoop
import Platform
import Testing

@Suite("the end of a process")
struct ProcessEndTests {
  @Test(
    "leaves what it shares in order if it succeeded, or ended as it was asked to",
    arguments: [
      (.exited(0), false, false), (.exited(0), true, false), (.exited(1), false, true),
      (.exited(1), true, false), (.exited(143), false, true), (.exited(143), true, false),
      (.exited(137), true, true), (.signalled(SIGTERM), false, true),
      (.signalled(SIGTERM), true, false), (.signalled(SIGKILL), true, true), (.unknown, true, true),
    ] as [(ProcessEnd.Status, Bool, Bool)])
  func order(status: ProcessEnd.Status, wasTerminated: Bool, mayBeUnfinished: Bool) {
    let end = ProcessEnd(status: status, errorTail: [], wasTerminated: wasTerminated)
    #expect(end.mayBeUnfinished == mayBeUnfinished)
  }
}
