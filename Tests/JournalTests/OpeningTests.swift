import CPowerLoss
import Testing

@testable import Journal

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite struct OpeningTests {
  let place = Place()

  @Test func aMissingJournalIsMadeOnlyWhereThatIsAskedFor() throws {
    let path = place.journal
    #expect(throws: JournalError.missing(path)) { try Journal(path, isCreated: false) }
    #expect(access(path, F_OK) != 0)
    _ = try place.open()
    _ = try Journal(path, isCreated: false)
  }

  @Test func aFileThatIsNoDatabaseIsLeftAlone() throws {
    let text = String(repeating: "{\"command\": \"build\"}\n", count: 100)
    place.write(text, to: place.journal)
    #expect(throws: JournalError.noDatabase(place.journal)) { try place.open() }
    var information = stat()
    stat(place.journal, &information)
    #expect(Int(information.st_size) == text.utf8.count)
  }

  @Test func theDatabaseOfAnotherProgramIsLeftAlone() throws {
    let other = try Database(place.journal, isCreated: true)
    try other.execute("CREATE TABLE places(url TEXT)")
    #expect(throws: JournalError.foreign(place.journal)) { try place.open() }
    #expect(try other.number("SELECT count(*) FROM sqlite_schema") == 1)
  }

  @Test func aJournalOfALaterVersionIsNotTouched() throws {
    _ = try place.open()
    let database = try Database(place.journal, isCreated: false)
    try database.execute("PRAGMA user_version = 99")
    #expect(
      throws: JournalError.newer(place.journal, version: 99, known: Schema.version)
    ) { try place.open() }
  }

  @Test func aDamagedJournalIsRefused() throws {
    do {
      let journal = try place.open()
      try journal.begin()
      for number in 0..<200 { try journal.end(try journal.start("entry \(number)")) }
      try journal.finish(status: 0)
    }
    place.damage()
    do {
      _ = try place.open()
      Issue.record("it was opened")
    } catch JournalError.damaged(place.journal, _) {}
  }

  @Test func aFolderThatDoesNotExistIsNamed() throws {
    let path = place.path + "/none/journal.db"
    #expect(throws: JournalError.unavailable(path, reason: "no such file or directory")) {
      try Journal(path, isCreated: true)
    }
  }

  @Test func aReadOnlyJournalCanBeReadButNotBegun() throws {
    do {
      let journal = try place.open()
      try journal.begin()
      try journal.end(try journal.start("a"))
      try journal.finish(status: 0)
    }
    let journal = try place.open()
    _ = try journal.read { store throws(JournalError) in
      try store.database.execute("PRAGMA query_only = ON")
    }
    #expect(try journal.executions().count == 1)
    #expect(throws: JournalError.readOnly(place.journal)) { try journal.begin() }
  }

  @Test func theFileOfLocksGoesWithTheLastBatch() throws {
    let one = try place.open()
    let other = try place.open()
    try one.begin()
    try other.begin()
    try one.finish(status: 0)
    #expect(access(place.journal + "-live", F_OK) == 0)
    try other.finish(status: 0)
    #expect(access(place.journal + "-live", F_OK) != 0)
  }
}
