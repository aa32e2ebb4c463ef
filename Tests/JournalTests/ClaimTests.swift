import Testing

@testable import Journal

@Suite struct ClaimTests {
  let place = Place()

  @Test func whatHasCompletedIsNotClaimedAgainOnResume() throws {
    let first = try place.open()
    try first.begin()
    let done = try first.start("a")
    let failed = try first.start("b")
    try first.end(done)
    try first.end(failed, state: .failed)
    try first.finish(status: 1)

    let second = try place.open()
    try second.begin(.resumption)
    let claims = try second.claim("b", "c", "a")
    #expect(claims[0].isGranted && claims[1].isGranted)
    #expect(claims[2] == .completed(execution: done))
  }

  @Test func withoutResumeEverythingIsClaimedAgain() throws {
    let first = try place.open()
    try first.begin()
    try first.end(try first.start("a"))
    try first.finish(status: 0)

    let second = try place.open()
    try second.begin()
    #expect(try second.claim("a")[0].isGranted)
  }

  /// The index of entries has a part of its own for each 65,536 executions.
  @Test(arguments: [65_534, 131_071])
  func whatHasCompletedIsFoundInEachRunOfTheIndex(_ last: Int) throws {
    let first = try place.open()
    try first.begin()
    let early = try first.start("a")
    try first.end(early)
    try place.database().execute("UPDATE sqlite_sequence SET seq = \(last)")
    let late = try ["a", "b", "c"].map { try first.start($0) }
    #expect(late == [1, 2, 3].map { Int64(last) + $0 })
    for execution in late { try first.end(execution) }
    try first.finish(status: 0)

    let second = try place.open()
    try second.begin(.resumption)
    let claims = try second.claim("c", "a", "a", "a", "b")
    #expect(claims[0] == .completed(execution: late[2]))
    #expect(claims[1] == .completed(execution: late[0]))
    #expect(claims[2] == .completed(execution: late[0]))
    #expect(claims[3].isGranted)
    #expect(claims[4] == .completed(execution: late[1]))
  }

  @Test(arguments: [true, false])
  func whatRunsBesideIsFoundInEachRunOfTheIndex(isResuming: Bool) throws {
    let first = try place.open()
    try first.begin()
    let early = try ["a", "b"].map { try first.start($0) }
    let second = try place.open()
    try second.begin(isResuming ? .resumption : .batch)
    try place.database().execute("UPDATE sqlite_sequence SET seq = 65535")
    let late = try ["c", "d"].map { try first.start($0) }
    for execution in [early[1], late[1]] { try first.end(execution) }
    #expect(
      try second.claim("a", "b", "c", "d")
        == [
          .taken(batch: 1), .completed(execution: early[1]), .taken(batch: 1),
          .completed(execution: late[1]),
        ])
  }

  @Test func equalEntriesAreToldApartByTheirNumber() throws {
    let first = try place.open()
    try first.begin()
    let claims = try first.claim("a", "a", "a")
    let areGranted = claims.allSatisfy(\.isGranted)
    #expect(areGranted)
    guard case .granted(let one) = claims[0], case .granted(let two) = claims[1] else { return }
    try first.end(one, two)
    try first.finish(status: 0)

    let second = try place.open()
    try second.begin(.resumption)
    let granted = try second.claim("a", "a", "a", "a").map(\.isGranted)
    #expect(granted == [false, false, true, true])
  }

  @Test func equalEntriesAreCountedWhereverTheyWereExecuted() throws {
    let first = try place.open()
    try first.begin()
    let claims = try first.claim("a", "a", "a")
    for (number, claim) in claims.enumerated() {
      guard case .granted(let execution) = claim else { continue }
      try first.end(execution, state: number == 1 ? .failed : .completed)
    }
    try first.finish(status: 1)
    // Alone, as by `retry`.
    let retry = try place.open()
    try retry.begin()
    try retry.end(try retry.start("a"))
    try retry.finish(status: 0)

    let last = try place.open()
    try last.begin(.resumption)
    let granted = try last.claim("a", "a", "a", "a").map(\.isGranted)
    #expect(granted == [false, false, false, true])
  }

  @Test func aTakenEntryIsFreeWhenItsExecutionHasFailed() throws {
    let one = try place.open()
    let other = try place.open()
    let batch = try one.begin()
    try other.begin()
    let named = entry("a", name: "x")
    let claims = try one.commit(claims: [named])
    guard case .granted(let execution) = claims[0] else { return }
    #expect(try other.commit(claims: [named]) == [.taken(batch: batch)])
    try one.end(execution, state: .failed)
    #expect(try other.commit(claims: [named])[0].isGranted)
  }

  @Test func anEndCanSayThatSomethingElseWasExecuted() throws {
    let first = try place.open()
    try first.begin()
    let execution = try first.start("old")
    try first.commit(ends: [
      ExecutionEnd(
        execution: execution, key: entry("new").key, state: .completed, started: 1, duration: 1)
    ])
    try first.finish(status: 0)
    let second = try place.open()
    try second.begin(.resumption)
    let granted = try second.claim("old", "new").map(\.isGranted)
    #expect(granted == [true, false])
  }

  @Test func whatWasNotEndedWhenABatchFinishedIsInterrupted() throws {
    let journal = try place.open()
    try journal.begin()
    _ = try journal.start("a")
    try journal.finish(status: 1)
    #expect(try journal.executions().map(\.state) == [.interrupted])
    #expect(try journal.batches()[0].counts == [.interrupted: 1])
  }

  @Test func whatWasRunningWhenABatchDiedIsClaimedAgain() throws {
    var dead: Journal? = try place.open()
    try dead?.begin()
    _ = try dead?.start("a")
    dead = nil

    let next = try place.open()
    try next.begin(.resumption)
    #expect(try next.claim("a")[0].isGranted)
    #expect(try next.executions().map(\.state) == [.interrupted, .running])
  }

  @Test func twoBatchesAtOnceDoNotClaimTheSameEntry() throws {
    let one = try place.open()
    let other = try place.open()
    let batch = try one.begin()
    let second = try other.begin()
    let shared = try one.start("a")
    #expect(try other.claim("a", "b")[0] == .taken(batch: batch))
    #expect(try one.claim("b")[0] == .taken(batch: second))
    try one.end(shared)
    // A third that begins while they are at work finds done what they have done.
    let third = try place.open()
    try third.begin()
    #expect(try third.claim("a")[0] == .completed(execution: shared))
  }

  @Test func theDeathOfABatchFreesItsClaimsForThoseAtWork() throws {
    var one: Journal? = try place.open()
    try one?.begin()
    _ = try one?.start("a")
    let other = try place.open()
    try other.begin()
    one = nil
    #expect(try other.claim("a")[0].isGranted)
  }

  @Test func aReleasedEntryIsFree() throws {
    let one = try place.open()
    try one.begin()
    let execution = try one.start("a")
    _ = try one.commit(releases: [execution])
    #expect(try one.executions().isEmpty)
    let other = try place.open()
    try other.begin()
    #expect(try other.claim("a")[0].isGranted)
  }

  @Test func aNameIsUsedOnceInAPlan() throws {
    let journal = try place.open()
    try journal.begin()
    let claims = try journal.commit(claims: [
      entry("a", name: "x", line: 1), entry("b", name: "y", line: 2),
      entry("c", name: "x", line: 3),
    ])
    #expect(claims[0].isGranted && claims[1].isGranted)
    #expect(claims[2] == .repeatedName(execution: 3, line: 1, plan: "plan.jsonl"))
  }

  @Test func aCommitThatFailsLeavesNothingBehind() throws {
    let journal = try place.open()
    try journal.begin()
    let first = try journal.start("a")
    _ = try journal.use { store throws(JournalError) in
      try store.database.execute("PRAGMA max_page_count = 1")
    }
    let many = (0..<2_000).map { entry("entry \($0)") }
    #expect(throws: JournalError.full(place.journal)) { try journal.commit(claims: many) }
    _ = try journal.use { store throws(JournalError) in
      try store.database.execute("PRAGMA max_page_count = 1000000")
    }
    #expect(try journal.executions().map(\.id) == [first])
    // Nor does it remember what it was asked.
    #expect(try journal.commit(claims: Array(many.prefix(1)))[0].isGranted)
    try journal.finish(status: 0)
    let next = try place.open()
    try next.begin(.resumption)
    #expect(try next.claim("entry 0")[0].isGranted)
  }
}

extension Claim {
  fileprivate var isGranted: Bool { if case .granted = self { true } else { false } }
}
