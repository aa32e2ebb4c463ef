import EventLoop
import Platform
import Testing

@Suite struct GroupIdentityTests {
  /// The fields behind the session, up to and without the start time.
  private static let between = "0 -1 4194560 91 0 0 0 0 0 0 0 20 0 1 0"

  private static func identity(_ line: String) -> GroupIdentity? {
    GroupIdentity(recorded: line, on: "here")
  }

  @Test(
    "a line of the kernel tells leader, start and session, whatever the program is called",
    arguments: ["sh", "a) S 1 2 3 (b", "two words", "(", ")", "ü\u{10BABF}"])
  func names(_ name: String) {
    #expect(
      Self.identity("712 (\(name)) S 1 712 700 \(Self.between) 98765 12 34\n")
        == GroupIdentity(leader: 712, started: 98765, session: 700, system: "here"))
  }

  @Test(
    "another text has no identity",
    arguments: [
      "", "712", "712 (sh", "712 (sh) S 1 712 700", "712 (sh) S 1 711 700 \(between) 98765 12",
      "712 (sh) S 1 712 x \(between) 98765 12", "712 (sh) S 1 712 700 \(between) - 12",
    ])
  func others(_ line: String) {
    #expect(Self.identity(line) == nil)
  }

  #if os(Linux)
    @Test("the identity of a process that runs is the one that its line tells")
    func own() throws {
      let file = try #require(fileContent("/proc/\(getpid())/stat"))
      let leader = getpgrp()
      let identity = try #require(GroupIdentity(leader: getpid()))
      #expect(identity.session == getsid(0))
      guard leader == getpid() else { return }
      let line = String(decoding: file, as: UTF8.self)
      #expect(identity == GroupIdentity(recorded: line, on: GroupIdentity.ownSystem))
    }
  #endif
}
