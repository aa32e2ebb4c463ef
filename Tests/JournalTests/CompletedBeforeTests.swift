import Testing

@testable import Journal

@Suite struct CompletedBeforeTests {
  let place = Place()

  /// A journal in which entries have completed.
  private func journal(completed contents: String...) throws -> [Int64] {
    let journal = try place.open()
    try journal.begin()
    let executions = try contents.map { try journal.start($0) }
    for execution in executions { try journal.end(execution) }
    try journal.finish(status: 0)
    return executions
  }

  /// Begins a batch that resumes, after so many entries that a long plan counts in memory.
  ///
  /// - Returns: the number of these entries.
  private func resume(_ journal: Journal, isLong: Bool) throws -> Int64 {
    try journal.begin(.resumption)
    guard isLong else { return 0 }
    return Int64(try lengthen(journal))
  }

  private func lengthen(_ journal: Journal) throws -> Int {
    let others = (0...Repetitions.shortPlan).map { entry("other \($0)") }
    return try journal.commit(claims: others).count
  }

  @Test(arguments: [false, true]) func eachCompletedExecutionIsSkippedForOnce(isLong: Bool) throws {
    let done = try journal(completed: "a", "b", "a")
    let next = try place.open()
    let others = try resume(next, isLong: isLong)
    let claims = try next.claim("a", "b", "a", "a", "c")
    #expect(claims[0] == .completed(execution: done[2]))
    #expect(claims[1] == .completed(execution: done[1]))
    #expect(claims[2] == .completed(execution: done[2]))
    #expect(claims[3] == .granted(execution: done[2] + others + 1))
    #expect(claims[4] == .granted(execution: done[2] + others + 2))
  }

  @Test func whatAShortPlanHasSkippedCountsWhenItIsLong() throws {
    let done = try journal(completed: "a", "a", "b")
    let next = try place.open()
    try next.begin(.resumption)
    #expect(try next.claim("a", "b").allSatisfy { if case .completed = $0 { true } else { false } })
    let others = Int64(try lengthen(next))
    #expect(try next.claim("a") == [.completed(execution: done[1])])
    #expect(try next.claim("a") == [.granted(execution: done[2] + others + 1)])
    #expect(try next.claim("b") == [.granted(execution: done[2] + others + 2)])
  }

  @Test(arguments: [false, true]) func aCommitThatFailsSkipsNothing(isLong: Bool) throws {
    let done = try journal(completed: "a")
    let next = try place.open()
    let others = try resume(next, isLong: isLong)
    _ = try next.use { store throws(JournalError) in
      try store.database.execute("PRAGMA max_page_count = 1")
    }
    let many = [entry("a")] + (0..<1_990).map { entry("entry \($0)") }
    #expect(throws: JournalError.full(place.journal)) { try next.commit(claims: many) }
    _ = try next.use { store throws(JournalError) in
      try store.database.execute("PRAGMA max_page_count = 1000000")
    }
    #expect(try next.claim("a") == [.completed(execution: done[0])])
    #expect(try next.claim("a") == [.granted(execution: done[0] + others + 1)])
  }

  @Test(arguments: [false, true])
  func whatWasSkippedCountsWhenAnotherBatchBegins(isLong: Bool) throws {
    let done = try journal(completed: "a", "a")
    let alone = try place.open()
    let others = try resume(alone, isLong: isLong)
    #expect(try alone.claim("a") == [.completed(execution: done[1])])
    let other = try place.open()
    try other.begin()
    #expect(try alone.claim("a") == [.completed(execution: done[1])])
    #expect(try alone.claim("a") == [.granted(execution: done[1] + others + 1)])
  }

  @Test func tooManyExecutionsAreNotCountedInMemory() throws {
    let done = try journal(completed: "a", "b")
    let database = try place.database()
    let next = done[1] + 1
    #expect(try CompletedBefore(before: next, in: database, most: 1) == nil)
    let counted = try #require(try CompletedBefore(before: next, in: database, most: 2))
    #expect(counted.skip(EntryKey("command", "b")) == done[1])
    #expect(counted.skip(EntryKey("command", "c")) == nil)
  }

  @Test func onlyEarlierBatchesCount() throws {
    _ = try journal(completed: "a")
    let counted = try #require(try CompletedBefore(before: 1, in: place.database()))
    #expect(counted.skip(EntryKey("command", "a")) == nil)
  }

  @Test func whatIsTooMuchForTheMemoryIsCountedInATable() throws {
    let done = try journal(completed: "a", "b", "a")
    let database = try place.database()
    try Repetitions.prepare(database)
    let repetitions = try Repetitions(database, most: 2)
    try repetitions.expect(Repetitions.shortPlan + 1, before: 2, of: 3)
    #expect(repetitions.completed == nil)
    // What comes later does not count in it.
    try database.execute("UPDATE execution SET state = 'failed'")
    let counts = try ["a", "b", "c"].map {
      try repetitions.done(EntryKey("command", $0), before: 2)
    }
    #expect(counts.map(\.count) == [2, 1, 0])
    #expect(counts.map(\.latest) == [done[2], done[1], 0])
  }
}
