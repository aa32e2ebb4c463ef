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

  @Test func eachCompletedExecutionIsSkippedForOnce() throws {
    let done = try journal(completed: "a", "b", "a")
    let next = try place.open()
    try next.begin(.resumption)
    let claims = try next.claim("a", "b", "a", "a", "c")
    #expect(claims[0] == .completed(execution: done[2]))
    #expect(claims[1] == .completed(execution: done[1]))
    #expect(claims[2] == .completed(execution: done[2]))
    #expect(claims[3] == .granted(execution: done[2] + 1))
    #expect(claims[4] == .granted(execution: done[2] + 2))
  }

  @Test func aCommitThatFailsSkipsNothing() throws {
    let done = try journal(completed: "a")
    let next = try place.open()
    try next.begin(.resumption)
    _ = try next.use { store throws(JournalError) in
      try store.database.execute("PRAGMA max_page_count = 1")
    }
    let many = [entry("a")] + (0..<2_000).map { entry("entry \($0)") }
    #expect(throws: JournalError.full(place.journal)) { try next.commit(claims: many) }
    _ = try next.use { store throws(JournalError) in
      try store.database.execute("PRAGMA max_page_count = 1000000")
    }
    #expect(try next.claim("a") == [.completed(execution: done[0])])
    #expect(try next.claim("a") == [.granted(execution: done[0] + 1)])
  }

  @Test func whatWasSkippedCountsWhenAnotherBatchBegins() throws {
    let done = try journal(completed: "a", "a")
    let alone = try place.open()
    try alone.begin(.resumption)
    #expect(try alone.claim("a") == [.completed(execution: done[1])])
    let other = try place.open()
    try other.begin()
    #expect(try alone.claim("a") == [.completed(execution: done[1])])
    #expect(try alone.claim("a") == [.granted(execution: done[1] + 1)])
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
}
