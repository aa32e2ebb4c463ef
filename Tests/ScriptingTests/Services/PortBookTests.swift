import EventLoop
import Platform
import Testing

@testable import Scripting

@Suite("The ports of checkouts") struct PortBookTests {
  private let folder = TemporaryFolder()
  private var book: PortBook { PortBook(path: folder.path + "/state/ports") }

  @Test func aNameKeepsItsPortAndNoOtherHasIt() throws {
    let names = (0..<50).map { "name \($0)" }
    var seen: Set<UInt16> = []
    for checkout in ["/one", "/two"] {
      let ports = try names.map { try book.port($0, of: checkout, isRecorded: true) }
      #expect(try names.map { try book.port($0, of: checkout, isRecorded: true) } == ports)
      seen.formUnion(ports)
    }
    #expect(seen.count == 100)
  }

  @Test func severalProgramsAtOnceCollideNowhere() async throws {
    let path = folder.path + "/state/ports"
    let ports = try await withThrowingTaskGroup(of: UInt16.self) { group in
      for checkout in 0..<40 {
        group.addTask {
          try PortBook(path: path).port("db", of: "/checkout/\(checkout)", isRecorded: true)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(ports).count == 40)
  }

  @Test func aPortThatAnotherProgramHasTakenIsReplaced() throws {
    let first = try book.port("db", of: "/one", isRecorded: true)
    let server = try TestServer(port: first)
    let second = try book.port("db", of: "/one", isRecorded: true)
    #expect(second != first)
    server.stop()
    #expect(try book.port("db", of: "/one", isRecorded: true) == second)
  }

  @Test func aPortOfTheCheckoutsOwnServerIsKept() throws {
    let own = try #require(currentFolder())
    let first = try book.port("db", of: own, isRecorded: true)
    let server = try TestServer(port: first)
    defer { server.stop() }
    #expect(try book.port("db", of: own, isRecorded: true) == first)
  }

  @Test func aLineThatWasCutShortIsNoHarm() throws {
    let first = try book.port("db", of: "/cut", isRecorded: true)
    let file = try #require(fopen(folder.path + "/state/ports", "a"))
    fputs("2999", file)
    fclose(file)
    let second = try book.port("web", of: "/cut", isRecorded: true)
    #expect(try book.port("db", of: "/cut", isRecorded: true) == first)
    #expect(try book.port("web", of: "/cut", isRecorded: true) == second)
  }

  /// Gives all ports to one checkout.
  private func fill(for checkout: String) throws {
    #expect(try book.port("db", of: checkout, isRecorded: true) > 0)
    let file = try #require(fopen(folder.path + "/state/ports", "w"))
    for port in PortBook.range { fputs("\(port)\tp\(port)\t\(checkout)\n", file) }
    fclose(file)
  }

  @Test func portsOfACheckoutThatIsGoneAreGivenAwayWhenNoOtherIsLeft() throws {
    let gone = folder.path + "/gone"
    try fill(for: gone)
    let port = try book.port("db", of: folder.path, isRecorded: true)
    #expect(try book.port("db", of: folder.path, isRecorded: true) == port)
    // It has come back.
    #expect(mkdir(gone, 0o700) == 0)
    #expect(throws: PortError.self) { try book.port("p\(port)", of: gone, isRecorded: true) }
  }

  @Test func portsOfACheckoutThatIsThereStayItsOwn() throws {
    let here = folder.path + "/here\t%9"
    #expect(mkdir(here, 0o700) == 0)
    let escaped = folder.path + "/here%09%259"
    try fill(for: escaped)
    #expect(throws: PortError.self) { try book.port("db", of: folder.path, isRecorded: true) }
  }

  @Test func aPortStaysWhileWhoHasItIsAboutToEnd() {
    func stays(_ uses: PortBook.Use...) -> (Bool, pauses: Int) {
      var left = uses[...]
      var pauses = 0
      let stays = PortBook.stays({ left.popFirst() ?? .unknown }, pause: { pauses += 1 })
      return (stays, pauses)
    }
    #expect(stays(.none) == (true, 0))
    #expect(stays(.own) == (true, 0))
    #expect(stays(.others, .none) == (false, 0))
    #expect(stays(.unknown, .unknown, .none) == (true, 2))
    #expect(stays(.unknown, .others) == (false, 1))
    #expect(stays().0 == false)
  }

  @Test func whatCannotBeKeptIsAnErrorWithItsPath() throws {
    let blocked = folder.path + "/file"
    let file = try #require(fopen(blocked, "w"))
    fclose(file)
    do {
      _ = try PortBook(path: blocked + "/ports").port("db", of: "/one", isRecorded: true)
      Issue.record("it was kept")
    } catch {
      #expect(
        "\(error)" == """
          ports cannot be kept in \(blocked)/ports: not a directory; set XDG_STATE_HOME to a \
          folder that you own on a local disk
          """)
    }
    #expect(
      "\(PortError.noFolder)" == "ports cannot be kept: neither XDG_STATE_HOME nor HOME is set")
  }
}
