import CPowerLoss
import Testing

@testable import Journal

import Platform

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

  @Test func aJournalOfTheVersionBeforeBecomesTodays() throws {
    try makeEarlierJournal()
    let journal = try place.open()
    #expect(try journal.executions().map(\.state) == [.completed, .interrupted])
    #expect(try journal.executions()[0].duration == 0)
    #expect(try journal.output(of: 1).map(\.bytes) == [Array("one".utf8)])
    try journal.begin(.resumption)
    let claims = try journal.claim("a", "b")
    #expect(claims == [.completed(execution: 1), .granted(execution: 9)])
  }

  @Test func aFieldThatMakesNoSenseKeepsAJournalOfTheVersionBeforeAsItIs() throws {
    try makeEarlierJournal()
    try place.database().execute("UPDATE execution SET duration = 1e300 WHERE id = 1")
    #expect(
      throws: JournalError.damagedRecord(
        place.journal, .execution(1), detail: "its duration is 1e+300")
    ) { try place.open() }
    #expect(try place.database().number("PRAGMA user_version") == 2)
  }

  @Test func aBatchOfTheVersionBeforeIsWaitedFor() throws {
    try makeEarlierJournal()
    place.write("", to: place.journal + "-live")
    let held = open(place.journal + "-live", O_RDWR | O_CLOEXEC)
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_start = 1
    lock.l_len = 1
    // Of the open file description, as the version before took them.
    #expect(fcntl(held, 37, &lock) == 0)
    #expect(throws: JournalError.heldByEarlierVersion(place.journal)) { try place.open() }
    close(held)
    _ = try place.open()
    #expect(access(place.journal + "-live", F_OK) != 0)
  }

  /// A journal as the version before kept it, of which a batch was killed.
  private func makeEarlierJournal() throws {
    let database = try place.database()
    for step in Schema.steps.prefix(2) { try database.execute(step) }
    let a = entry("a").key.hexadecimal
    let b = entry("b").key.hexadecimal
    try database.execute(
      """
      PRAGMA application_id = \(Schema.application); PRAGMA user_version = 2;
      INSERT INTO batch VALUES(1, 'p', '/', '', 1, 1, 2, 0);
      INSERT INTO batch VALUES(2, 'p', '/', 'batch', 1, 1, NULL, NULL);
      INSERT INTO execution VALUES(1, 1, x'\(a)', 'command', 'work', '', 'x', 'p', 1, 'completed',
        1, 1, -2, 1, NULL, NULL, NULL, x'000000000000000001030000006f6e65');
      INSERT INTO execution VALUES(8, 2, x'\(b)', 'command', 'work', '', NULL, 'p', 1, 'running',
        1, NULL, NULL, 0, NULL, NULL, NULL, NULL);
      """)
  }

  @Test func anOlderJournalBecomesTodays() throws {
    do {
      let database = try place.database()
      try database.execute(Schema.steps[0])
      try database.execute(
        """
        PRAGMA application_id = \(Schema.application); PRAGMA user_version = 1;
        INSERT INTO batch VALUES(1, 'p', '/', '', 1, 1, 2, 0);
        INSERT INTO execution(batch, key, occurrence, kind, command, input, plan, line, state, claimed)
        VALUES(1, x'\(entry("a").key.hexadecimal)', 1, 'command', 'work', '', 'p', 1, 'completed', 1);
        """)
    }
    let journal = try place.open()
    try journal.begin(.resumption)
    #expect(try journal.claim("a") == [.completed(execution: 1)])
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

extension EntryKey {
  fileprivate var hexadecimal: String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
