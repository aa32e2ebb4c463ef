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
    @Test("the identity of a leader that runs is the one that its line tells")
    func own() throws {
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
      let words: [UnsafeMutablePointer<CChar>?] = [strdup("sleep"), strdup("600"), nil]
      defer { words.forEach { free($0) } }
      var leader: pid_t = 0
      try #require(posix_spawnp(&leader, "sleep", nil, &attributes, words, environ) == 0)
      defer {
        kill(leader, SIGKILL)
        waitpid(leader, nil, 0)
      }
      let identity = try #require(GroupIdentity(leader: leader))
      let line = String(decoding: try #require(fileContent("/proc/\(leader)/stat")), as: UTF8.self)
      #expect(identity == GroupIdentity(recorded: line, on: GroupIdentity.ownSystem))
      #expect(identity.leader == leader)
    }
  #endif
}
