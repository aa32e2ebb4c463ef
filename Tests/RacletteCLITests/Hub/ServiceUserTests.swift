import Testing

@testable import RunnerPanel

@Suite("the users of a service")
struct ServiceUserTests {
  @Test(
    "are named without options and inputs, which may be secrets",
    arguments: [
      ("/usr/bin/raclette\0test\0hunter2\0", "raclette test"),
      ("raclette\0run\0--env\0TOKEN=a\0test\0hunter2\0", "raclette run test"),
      ("raclette\0--env\0TOKEN=a\0test\0hunter2\0", "raclette test"),
      ("raclette\0-e\0password = 1\0", "raclette"),
      ("./raclette\0tasks.lua\0hunter2\0", "raclette tasks.lua"),
      ("raclette\0", "raclette"), ("\0test\0", "raclette test"), ("\0", "raclette"),
      ("", "raclette"),
    ])
  func call(line: String, call: String) {
    #expect(ServiceUser.call(Array(line.utf8)) { $0 == "test" } == call)
  }
}
