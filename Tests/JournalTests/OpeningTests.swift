import CPowerLoss
import Platform
import Testing

@testable import Journal

@Suite struct OpeningTests {
  let place = Place()

  @Test(
    "The file beside it takes a sixteenth of a small disk until the next checkpoint",
    arguments: [(nil, 16_384), (1 << 40, 16_384), (256 << 20, 4_096), (32 << 20, 512), (0, 64)])
  func room(_ free: Int?, _ pages: Int) {
    #expect(Store.pagesBetweenCheckpoints(whereFree: free) == pages)
  }

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
    _ = stat(place.journal, &information)
    #expect(Int(information.st_size) == text.utf8.count)
  }

  @Test func theDatabaseOfAnotherProgramIsLeftAlone() throws {
    let other = try place.database()
    try other.execute("CREATE TABLE places(url TEXT)")
    #expect(throws: JournalError.foreign(place.journal)) { try place.open() }
    #expect(try other.number("SELECT count(*) FROM sqlite_schema") == 1)
  }

  @Test func aJournalOfALaterVersionIsNotTouched() throws {
    _ = try place.open()
    let database = try place.database()
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
      try place.open().begin()
      Issue.record("a batch has begun")
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
    _ = try journal.use { store throws(JournalError) in
      try store.database.execute("PRAGMA query_only = ON")
    }
    #expect(try journal.executions().count == 1)
    #expect(throws: JournalError.readOnly(place.journal)) { try journal.begin() }
  }

  @Test func aClosedJournalIsOneFile() throws {
    let journal = try place.open()
    try journal.begin()
    try journal.end(try journal.start("a"))
    try journal.finish(status: 0)
    #expect(access(place.journal + "-wal", F_OK) == 0)
    journal.close()
    #expect(access(place.journal + "-wal", F_OK) != 0)
    #expect(throws: JournalError.unavailable(place.journal, reason: "it is closed")) {
      try journal.executions()
    }
    #expect(try place.open().executions().count == 1)
  }

  /// A step that no release has.
  private static let later = Schema.steps + ["ALTER TABLE batch ADD COLUMN note TEXT DEFAULT 'new'"]

  @Test func aJournalOfTheVersionBeforeIsMigratedByTheNextStep() throws {
    do {
      let journal = try place.open()
      try journal.begin()
      try journal.end(try journal.start("a"))
      try journal.finish(status: 0)
    }
    let database = try place.database()
    // The second time there is nothing to do.
    for _ in 1...2 { try Schema.prepare(database, by: Self.later) }
    #expect(try database.number("PRAGMA user_version") == Schema.version + 1)
    #expect(try database.text("SELECT note FROM batch") == "new")
    #expect(try database.number("SELECT count(*) FROM execution WHERE state = 'completed'") == 1)
    #expect(
      throws: JournalError.newer(
        place.journal, version: Schema.version + 1, known: Schema.version)
    ) { try place.open() }
  }

  @Test func anEmptyFileGetsTheTablesOfAllSteps() throws {
    let database = try place.database()
    try Schema.prepare(database, by: Self.later)
    #expect(try database.number("SELECT count(note) FROM batch") == 0)
  }

  @Test func aJournalOfAVersionThatWasNeverReleasedIsNotTouched() throws {
    _ = try place.open()
    try place.database().execute("PRAGMA user_version = 3")
    let error = JournalError.older(place.journal, version: 3)
    #expect(throws: error) { try place.open() }
    #expect(throws: error) { try Journal.examine(place.journal) }
    #expect(
      "\(error)"
        == "the journal '\(place.journal)' has version 3, which no release of raclette has written; "
        + "move it away, and the next use creates a new one")
    #expect(try place.database().number("PRAGMA user_version") == 3)
  }

  @Test func aBatchThatBeganLaterIsKnownToBeAtWork() throws {
    let looking = try place.open()
    let first = try place.open()
    try first.begin()
    #expect(try looking.batches().map(\.isAtWork) == [true])
    try first.finish(status: 0)
    let second = try place.open()
    try second.begin()
    #expect(try looking.batches().map(\.isAtWork) == [false, true])
  }
}
