import Platform
import Testing

@testable import EventLoop

@Suite("files that say what a process holds", .timeLimit(.minutes(1)))
struct HeldFileTests {
  private let folder: String
  private var path: String { "\(folder)/held" }

  init() throws { folder = try #require(newFolder()) }

  private func hold(_ text: String) throws -> HeldFile {
    let file = LockFile(path)
    #expect(try file.lock())
    let held = HeldFile(file, in: UserFolder(folder), saying: text)
    try held.write()
    return held
  }

  private var content: String? { fileContent(path).map { String(exactly: $0) } }

  @Test("are made again after they were removed, with all that was added")
  func removed() throws {
    defer { removeFolder(folder) }
    let held = try hold("one\n")
    held.append("two\n")
    unlink(path)
    held.restore()
    #expect(content == "one\ntwo\n")
    #expect(try !LockFile(path).lock())
    held.remove()
    #expect(content == nil)
  }

  @Test("are made again after attempts that have failed")
  func failed() throws {
    defer { removeFolder(folder) }
    let held = try hold("one\n")
    unlink(path)
    mkdir(path, 0o700)
    held.restore()
    rmdir(path)
    held.restore()
    #expect(content == "one\n")
    #expect(try !LockFile(path).lock())
    held.remove()
  }

  @Test("are made again once another holder, who came meanwhile, has given its own back")
  func other() throws {
    defer { removeFolder(folder) }
    let held = try hold("one\n")
    unlink(path)
    let other = try hold("other\n")
    held.restore()
    #expect(content == "other\n")
    other.remove()
    held.restore()
    #expect(content == "one\n")
    held.remove()
  }

  @Test("are left to another holder, who came meanwhile")
  func remains() throws {
    defer { removeFolder(folder) }
    let held = try hold("one\n")
    unlink(path)
    let other = try hold("other\n")
    held.remove()
    #expect(content == "other\n")
    #expect(try !LockFile(path).lock())
    other.remove()
  }

  @Test("are not taken by those who waited for them when they were removed")
  func waiting() throws {
    defer { removeFolder(folder) }
    let held = try hold("one\n")
    let waiting = LockFile(path)
    #expect(try !waiting.lock())
    unlink(path)
    #expect(try !waiting.lock())
    held.restore()
    #expect(try !waiting.lock())
    held.remove()
    #expect(try waiting.lock())
    waiting.remove()
  }

  @Test("are removed if killed processes have left them")
  func left() throws {
    defer { removeFolder(folder) }
    let held = try hold("one\n")
    for name in ["left", "other"] { close(open("\(folder)/\(name)", O_CREAT | O_WRONLY, 0o600)) }
    LockFile.sweep(UserFolder(folder)) { $0 != "other" }
    #expect((names(inFolder: folder) ?? []).sorted() == ["held", "other"])
    held.remove()
  }
}
