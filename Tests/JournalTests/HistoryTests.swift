import Testing

@testable import Journal

@Suite struct HistoryTests {
  let place = Place()

  @Test func anEndIsReadBackAsItWasRecorded() throws {
    let journal = try place.open()
    try journal.begin()
    let execution = try journal.start("a")
    let lines = [
      RecordedLine(time: 0, stream: .output, bytes: Array("one".utf8)),
      RecordedLine(time: 1.5, stream: .errors, bytes: [0, 0xFF, 10]),
      RecordedLine(time: 2.25, stream: .output, bytes: []),
    ]
    _ = try journal.commit(ends: [
      ExecutionEnd(
        execution: execution, state: .failed, started: 100.5, duration: 2.5, code: 3,
        errorKind: "exit", error: "it failed", output: lines)
    ])
    let found = try #require(try journal.execution(execution))
    #expect(found.state == .failed && found.started == 100.5 && found.duration == 2.5)
    #expect(found.code == 3 && found.errorKind == "exit" && found.error == "it failed")
    #expect(found.command == "work" && found.input == "\"a\"" && found.line == 1)
    #expect(try journal.output(of: execution) == lines)
    #expect(try journal.execution(execution + 1) == nil)
  }

  @Test func batchesAreListedWithTheirCounts() throws {
    let first = try place.open()
    try first.begin()
    let a = try first.start("a")
    let b = try first.start("b")
    try first.end(a)
    try first.end(b, state: .failed)
    try first.finish(status: 1)
    var second: Journal? = try place.open()
    try second?.begin()
    _ = try second?.start("c")
    #expect(try first.batches().map(\.isAtWork) == [false, true])
    second = nil

    let batches = try first.batches()
    #expect(batches[0].counts == [.completed: 1, .failed: 1] && batches[0].status == 1)
    #expect(batches[1].counts == [.interrupted: 1] && batches[1].status == nil)
    #expect(!batches[1].isAtWork)
  }

  /// The completion may be in any part of the index, and an equal entry of the same batch is another
  /// one.
  @Test(arguments: [RecordedState.failed, .cancelled, .interrupted], [Int64(2), 65_534, 131_071])
  func whatHasCompletedSinceSaysWhere(_ state: RecordedState, _ last: Int64) throws {
    let first = try place.open()
    try first.begin()
    let ids = try ["a", "a", "b"].map { try first.start($0) }
    try first.end(ids[0], ids[2], state: state)
    try first.end(ids[1])
    try first.finish(status: 1)
    #expect(try first.executions(ExecutionFilter()).map(\.completedBy) == [nil, nil, nil])
    let second = try place.open()
    try second.begin()
    try place.database().execute("UPDATE sqlite_sequence SET seq = \(last + 1)")
    let again = try second.start("a")
    #expect(try second.execution(ids[0])?.completedBy == nil, "it is running")
    try second.end(again)
    try second.finish(status: 0)
    #expect(try second.executions(ExecutionFilter()).map(\.completedBy) == [again, nil, nil, nil])
    var filter = ExecutionFilter()
    filter.states = RecordedState.unsuccessful
    filter.leavesOutCompleted = true
    #expect(try second.executions(filter).map(\.id) == [ids[2]])
  }

  @Test func aFilterLetsTheLatestPass() throws {
    let journal = try place.open()
    try journal.begin()
    let ids = try ["a", "b", "c", "d"].map { try journal.start($0) }
    try journal.end(ids[1], ids[3], state: .failed)
    var filter = ExecutionFilter()
    filter.limit = 2
    #expect(try journal.executions(filter).map(\.id) == [ids[2], ids[3]])
    filter = ExecutionFilter()
    filter.states = [.failed]
    #expect(try journal.executions(filter).map(\.id) == [ids[1], ids[3]])
    filter.limit = 1
    #expect(try journal.executions(filter).map(\.id) == [ids[3]])
    filter.states = [.interrupted]
    #expect(try journal.executions(filter).isEmpty)
    filter.states = [.running, .completed]
    filter.limit = nil
    #expect(try journal.executions(filter).map(\.id) == [ids[0], ids[2]])
  }
}
