import Platform
import Testing

@testable import Journal

/// One journal is one journal, whatever path leads to it.
@Suite struct IdentityTests {
  let place = Place()

  @Test func aSymbolicLinkLeadsToTheSameBatches() throws {
    let link = place.path + "/link.db"
    let one = try place.open()
    let batch = try one.begin()
    #expect(symlink("journal.db", link) == 0)
    let other = try Journal(link, isCreated: false)
    try other.begin()
    let execution = try one.start("a")
    #expect(try other.claim("a") == [.taken(batch: batch)])
    try one.end(execution)
    #expect(try other.claim("a") == [.completed(execution: execution)])
  }

  @Test func aLinkedFolderLeadsToTheSameBatches() throws {
    let folder = Place()
    let link = folder.path + "/folder"
    #expect(symlink(place.path, link) == 0)
    let one = try place.open()
    let batch = try one.begin()
    let other = try Journal(link + "/journal.db", isCreated: false)
    try other.begin()
    _ = try one.start("a")
    #expect(try other.claim("a") == [.taken(batch: batch)])
  }

  @Test func aLinkToAMissingFileMakesTheJournalWhereItLeads() throws {
    let link = place.path + "/link.db"
    #expect(symlink("journal.db", link) == 0)
    _ = try Journal(link, isCreated: true)
    #expect(try place.open().batches().isEmpty)
  }

  @Test func aHardLinkIsRefused() throws {
    let link = place.path + "/link.db"
    let journal = try place.open()
    try journal.begin()
    #expect(linkat(AT_FDCWD, place.journal, AT_FDCWD, link, 0) == 0)
    #expect(throws: JournalError.severalNames(link, count: 2)) {
      try Journal(link, isCreated: false)
    }
    #expect(throws: JournalError.severalNames(place.journal, count: 2)) { try place.open() }
    // Opening it in vain has taken no lock away from the batch at work.
    unlink(link)
    #expect(try place.open().batches().map(\.isAtWork) == [true])
    try journal.end(try journal.start("a"))
  }

  @Test func aFolderAndAPipeAreNoJournals() throws {
    #expect(throws: JournalError.unavailable(place.path, reason: "is a directory")) {
      try Journal(place.path, isCreated: true)
    }
    let pipe = place.path + "/pipe"
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(throws: JournalError.noFile(pipe)) { try Journal(pipe, isCreated: true) }
  }

  /// When a process closes any descriptor of a file, the system takes its locks on it back, SQLite's
  /// among them.
  @Test func aJournalThatIsClosedTakesNoLockFromAnother() throws {
    let one = try place.open()
    try one.begin()
    _ = try one.start("a")
    for _ in 0..<3 { try place.open().close() }
    // The lock that every connection holds on the file, asked for as another process would.
    let descriptor = open(place.journal, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_start = 0x4000_0002
    lock.l_len = 510
    #expect(fcntl(descriptor, 36, &lock) == 0 && lock.l_type == Int16(F_RDLCK))
    #expect(try place.open().batches().map(\.isAtWork) == [true])
  }

  @Test func aJournalIsForItsOwnerAlone() throws {
    let journal = try place.open()
    try journal.begin()
    for path in [place.journal, place.journal + "-wal", place.journal + "-shm"] {
      #expect(permissions(of: path) == 0o600)
    }
  }

  @Test func aJournalThatIsSharedStaysShared() throws {
    _ = try place.open()
    #expect(chmod(place.journal, 0o660) == 0)
    let journal = try place.open()
    try journal.begin()
    #expect(permissions(of: place.journal) == 0o660)
    #expect(permissions(of: place.journal + "-wal") == 0o660)
  }

  private func permissions(of path: String) -> mode_t? {
    var information = stat()
    return stat(path, &information) == 0 ? information.st_mode & 0o777 : nil
  }
}
