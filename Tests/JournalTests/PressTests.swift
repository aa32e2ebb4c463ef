import Testing

@testable import Journal

/// What a journal keeps for panels.
@Suite struct PressTests {
  let place = Place()

  private func execution(_ number: Int64, at time: Double = 1) -> ReservedExecution {
    var entry = PlanEntry(
      key: EntryKey("panel", "\(number)"), kind: .command, command: "c\(number % 2)", input: "",
      plan: Journal.panelPlan, line: Int(number))
    entry.requester = number % 2 == 0 ? "page" : nil
    return ReservedExecution(execution: number, entry: entry, claimed: time)
  }

  private func press(_ journal: Journal, _ numbers: Range<Int64>) throws {
    let ends = numbers.map {
      ExecutionEnd(
        execution: $0, state: .completed, started: 2, duration: 1,
        output: [RecordedLine(time: 0, stream: .value, bytes: Array("{}".utf8))])
    }
    try journal.commit(ends: ends, reserved: numbers.map { execution($0, at: Double($0)) })
  }

  @Test func reservedNumbersBelongToOneCaller() throws {
    let (one, other) = (try place.open(), try place.open())
    #expect(try one.reserve(3) == 1..<4)
    #expect(try other.reserve(2) == 4..<6)
    try one.beginPanel(in: "/")
    try press(one, 1..<3)
    try other.begin()
    #expect(try other.start("a") == 6)
    // Only the last ones can be given back.
    try one.giveBack(3..<4)
    #expect(try one.reserve(2) == 7..<9)
    try one.giveBack(8..<9)
    #expect(try one.reserve(1) == 8..<9)
    try one.giveBack(9..<9)
    let presses = try one.presses(limit: 9)
    #expect(presses.map(\.id) == [2, 1])
    #expect(presses.map(\.requester) == ["page", nil])
  }

  @Test func theEndedExecutionsOfACommandComeLatestFirst() throws {
    let journal = try place.open()
    try journal.beginPanel(in: "/")
    let numbers = try journal.reserve(8)
    try press(journal, numbers.lowerBound..<8)
    try journal.commit(reserved: [execution(8)])
    #expect(try journal.ended(of: "c1", since: 0, limit: 9).map(\.id) == [7, 5, 3, 1])
    #expect(try journal.ended(of: "c0", since: 0, limit: 9).map(\.id) == [6, 4, 2])
    #expect(try journal.ended(of: "c1", since: 4, limit: 9).map(\.id) == [7, 5])
    #expect(try journal.ended(of: "c1", since: 0, limit: 1).map(\.id) == [7])
    try journal.finish(status: 0)
    #expect(try journal.ended(of: "c0", since: 0, limit: 1).map(\.state) == [.interrupted])
  }

  @Test func whatIsOldIsDropped() throws {
    for _ in 1...3 {
      let journal = try place.open()
      try journal.beginPanel(in: "/")
      try press(journal, try journal.reserve(2))
      try journal.finish(status: 0)
    }
    // A plan of this name is another one.
    let journal = try place.open()
    _ = try journal.begin(
      BatchDescription(plan: Journal.panelPlan, folder: "/", arguments: ["x"], jobs: 1), as: .batch)
    let other = try journal.start("a")
    try journal.end(other)
    try journal.finish(status: 0)
    try journal.dropPresses(keepingOutputs: 1, executions: 3)
    #expect(try journal.presses(limit: 9).map(\.id) == [6, 5, 4])
    #expect(try (4...6).map { try journal.output(of: $0).count } == [0, 0, 1])
    #expect(try journal.batches().map(\.isOfPanel) == [true, true, false])
    #expect(try journal.execution(other) != nil)
    // All records are whole.
    let later = try place.open()
    _ = try later.begin(.resumption)
    // A number is never given again.
    #expect(try later.start("b") == 8)
  }
}
