import Platform
import Testing

@testable import Journal

/// What a journal holds may have been damaged by the disk, or forged: it is told, ends nothing, and no
/// entry that has completed is executed again for it.
@Suite struct DamageTests {
  private let sample: Sample

  init() throws {
    sample = try Sample()
  }

  private static let fields = [
    "id", "batch", "key", "kind", "command", "input", "name", "plan", "line", "state", "claimed",
    "started", "duration", "attempts", "code", "error_kind", "error", "output_checksum", "checksum",
    "output",
  ]

  @Test(arguments: fields)
  func anExecutionWhoseFieldHasChangedIsNamed(_ field: String) throws {
    // Of a field that is no number the first character, of a number one bit.
    let change =
      switch field {
      case "id": "id + 1000"
      case "key", "output": "CAST('?' || substr(\(field), 2) AS BLOB)"
      case "kind", "command", "input", "name", "plan", "state", "error_kind", "error":
        "'?' || substr(\(field), 2)"
      default: "\(field) + 1"
      }
    try sample.change("UPDATE execution SET \(field) = \(change) WHERE id = \(sample.failed)")
    let record = JournalRecord.execution(sample.failed + (field == "id" ? 1_000 : 0))
    let isOutput = field == "output"
    if isOutput {
      expect(throwing: record) { _ = try sample.open().output(of: sample.failed) }
    } else {
      expect(throwing: record) { _ = try sample.open().executions() }
    }
    expect(throwing: record) { try sample.open().begin(.resumption) }
    expect(throwing: record) { _ = try Journal.examine(sample.path) }
  }

  @Test(arguments: ["id", "plan", "folder", "arguments", "jobs", "started", "ended", "status"])
  func aBatchWhoseFieldHasChangedIsNamed(_ field: String) throws {
    let isText = ["plan", "folder", "arguments"].contains(field)
    try sample.change(
      "UPDATE batch SET \(field) = \(isText ? "\(field) || '?'" : "\(field) + 1000") WHERE id = 1")
    let record = JournalRecord.batch(field == "id" ? 1_001 : 1)
    expect(throwing: record) { _ = try sample.open().batches() }
    expect(throwing: record) { try sample.open().begin(.resumption) }
  }

  /// Else it would take as long as the journal is.
  @Test func aRunDoesNotLookThroughWhatItDoesNotRelyOn() throws {
    try sample.change("UPDATE execution SET error = 'another' WHERE id = \(sample.failed)")
    try sample.change("UPDATE batch SET plan = 'another' WHERE id = 1")
    let journal = try sample.open()
    try journal.begin(.run)
    let execution = try journal.start("new")
    try journal.end(execution)
    try journal.finish(status: 0)
    #expect(try journal.execution(execution)?.state == .completed)
  }

  @Test func theAdviceCanBePastedIntoAShell() {
    let error = JournalError.damagedRecord(
      "/tmp/a b;c/it's.db", .execution(5), detail: "its state is missing")
    #expect(
      error.description.contains(
        #"sqlite3 '/tmp/a b;c/it'\''s.db' 'DELETE FROM execution WHERE id = 5'; if it had completed"#
      ))
    #expect(
      JournalError.damaged("/a b", detail: "x").description.hasSuffix("sqlite3 '/a b' .dump"))
  }

  @Test(arguments: [-1, Int(Int32.min), 0])
  func aVersionThatNoJournalHasIsTold(_ version: Int) throws {
    try sample.change("PRAGMA user_version = \(version)")
    #expect(
      throws: JournalError.damaged(sample.path, detail: "its version is \(version)")
    ) { try sample.open() }
  }

  @Test func aMissingTableIsTold() throws {
    try sample.change("DROP TABLE execution")
    #expect(throws: JournalError.damaged(sample.path, detail: "no such table: execution")) {
      try sample.open().executions()
    }
  }

  @Test(arguments: ["execution", "batch"])
  func aLastNumberBeyondAllOthersIsTold(_ table: String) throws {
    try sample.change(
      "UPDATE sqlite_sequence SET seq = \(Int64.max - 1) WHERE name = '\(table)'")
    do {
      let journal = try sample.open()
      try journal.begin()
      _ = try journal.claim("new")
      Issue.record("it was claimed")
    } catch JournalError.damaged(sample.path, _) {}
  }

  /// Nor do the numbers between it and the others take time.
  @Test(arguments: [1 << 50, Int64.max >> 1, .max])
  func anExecutionWithANumberFarBeyondTheOthersIsFound(_ number: Int64) throws {
    try sample.change(
      """
      UPDATE execution SET id = \(number) WHERE id = \(sample.running);
      UPDATE execution SET checksum = \(RowChecksums.ofExecution);
      """)
    let executions = try sample.open().executions()
    #expect(executions.count == sample.executions.count)
    #expect(executions.contains { $0.id == number })
  }

  private static let oddities = [
    "NULL", "''", "'?'", "x''", "x'00ff'", "zeroblob(100000)", "-1", "0", "9223372036854775807",
    "-9223372036854775808", "1e300", "-1e300", "9e999", "-9e999", "1e18", "0.5", "'1e300'", "'-1'",
    "char(27) || '[2J' || char(0) || char(0x202e)",
    "x'ffffffffffffffff01ffffffff'", "x'ffffffffffffffff0901000000'",
  ]

  /// Its maker knows how checksums are computed.
  @Test(arguments: fields)
  func aForgedFieldOfAnExecutionEndsNothing(_ field: String) throws {
    for oddity in Self.oddities where !["checksum", "output_checksum"].contains(field) {
      try sample.restore()
      do {
        try sample.change(
          """
          UPDATE execution SET \(field) = \(oddity) WHERE id IN (\(sample.failed), \(sample.running));
          UPDATE execution SET output_checksum = row_checksum(output);
          UPDATE execution SET checksum = \(RowChecksums.ofExecution);
          """)
      } catch JournalError.damaged {
        // Not even SQLite takes that.
        continue
      }
      sample.useAll()
    }
  }

  @Test(arguments: ["id", "plan", "folder", "arguments", "jobs", "started", "ended", "status"])
  func aForgedFieldOfABatchEndsNothing(_ field: String) throws {
    for oddity in Self.oddities {
      for batch in 1...2 {
        try sample.restore()
        do {
          try sample.change(
            """
            UPDATE batch SET \(field) = \(oddity) WHERE id = \(batch);
            UPDATE batch SET checksum = \(RowChecksums.ofBatch);
            """)
        } catch JournalError.damaged {
          continue
        }
        sample.useAll()
      }
    }
  }

  @Test func aForgedTriggerIsNotExecuted() throws {
    try sample.change(
      """
      CREATE TRIGGER forged AFTER INSERT ON batch BEGIN
        DELETE FROM execution; END
      """)
    let journal = try sample.open()
    try journal.begin()
    #expect(try journal.executions().count == sample.executions.count)
  }

  /// Bits flip anywhere in the file: in what counts, that is told; else nothing is different.
  @Test(arguments: 0..<8)
  func flippedBitsAreToldOrChangeNothing(_ seed: UInt64) throws {
    var random = Random(state: seed)
    for _ in 0..<60 {
      var bytes = sample.bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      try sample.restore(bytes)
      #expect(sample.isToldOrUnchanged, "seed \(seed)")
    }
  }

  /// Sectors come back as something else.
  @Test(arguments: 0..<4)
  func overwrittenSectorsAreToldOrChangeNothing(_ seed: UInt64) throws {
    var random = Random(state: seed &+ 1_000)
    for round in 0..<40 {
      var bytes = sample.bytes
      let place = Int.random(in: 0..<bytes.count / 512, using: &random) * 512
      let other = Int.random(in: 0..<bytes.count / 512, using: &random) * 512
      for offset in 0..<512 {
        switch round % 3 {
        case 0: bytes[place + offset] = 0
        case 1: bytes[place + offset] = sample.bytes[other + offset]
        default: bytes[place + offset] = UInt8.random(in: 0...255, using: &random)
        }
      }
      try sample.restore(bytes)
      #expect(sample.isToldOrUnchanged, "seed \(seed)")
    }
  }

  @Test func indexesThatAreWholePass() throws {
    #expect(try IndexCheck.passes(in: place(sample.bytes)))
  }

  /// What a resumption relies on, at less cost than SQLite's own check.
  @Test(arguments: 0..<4)
  func indexesPassOnlyIfSQLiteFindsThemWhole(_ seed: UInt64) throws {
    var random = Random(state: seed &+ 2_000)
    var found = 0
    for _ in 0..<400 {
      var bytes = sample.bytes
      let place = Int.random(in: 0..<bytes.count, using: &random)
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      if try hasDamageThatIsFound(bytes, "seed \(seed), byte \(place)") { found += 1 }
    }
    // Damage that only a look at the rows finds.
    #expect(found > 0)
  }

  /// The lowest bit of a type in a record makes another of the same length: a text of bytes, which
  /// SQLite finds no more, has their length.
  @Test(arguments: ["execution_by_entry", "execution_by_batch"])
  func indexesPassOnlyWithTheTypesOfTheTable(_ index: String) throws {
    let page = try place(sample.bytes).number(
      "SELECT rootpage FROM sqlite_schema WHERE name = '\(index)'")
    var found = 0
    for place in (page - 1) * 4_096..<page * 4_096 where sample.bytes[place] != 0 {
      var bytes = sample.bytes
      bytes[place] ^= 1
      if try hasDamageThatIsFound(bytes, "byte \(place)") { found += 1 }
    }
    #expect(found > 0)
  }

  /// Expects that indexes in which SQLite finds damage do not pass.
  ///
  /// - Returns: true if SQLite finds damage by a look at the rows, and not without one.
  private func hasDamageThatIsFound(_ bytes: [UInt8], _ damage: Comment) throws -> Bool {
    do {
      let database = try place(bytes)
      guard try database.text("PRAGMA quick_check(1)") == "ok",
        try database.text("PRAGMA integrity_check(execution)") != "ok"
      else { return false }
      #expect(try !IndexCheck.passes(in: database), damage)
      return true
    } catch is JournalError {
      return false
    }
  }

  private func place(_ bytes: [UInt8]) throws -> Database {
    try sample.restore(bytes)
    return try sample.place.database()
  }

  private func expect(
    throwing record: JournalRecord, _ body: () throws -> Void,
    _ location: SourceLocation = #_sourceLocation
  ) {
    do {
      try body()
      Issue.record("nothing was thrown", sourceLocation: location)
    } catch JournalError.damagedRecord(sample.path, let found, _) {
      #expect(found == record, sourceLocation: location)
    } catch {
      Issue.record("\(error)", sourceLocation: location)
    }
  }
}

/// A journal of some batches as one file, to be damaged.
private final class Sample {
  let place = Place()
  var path: String { place.journal }
  private(set) var bytes: [UInt8] = []
  private(set) var executions: [Int64: RecordedState] = [:]
  private(set) var completed: [String] = []
  private(set) var failed: Int64 = 0
  private(set) var running: Int64 = 0

  init() throws {
    do {
      let journal = try place.open()
      try journal.begin()
      for number in 0..<40 {
        let execution = try journal.start("entry \(number)")
        let hasFailed = number % 10 == 9
        if hasFailed { failed = execution } else { completed.append("entry \(number)") }
        try journal.commit(ends: [
          ExecutionEnd(
            execution: execution, state: hasFailed ? .failed : .completed, started: 10,
            duration: 1.5, code: hasFailed ? 3 : nil, errorKind: hasFailed ? "exit" : nil,
            error: hasFailed ? "it ended with status 3" : nil,
            output: (0..<(number % 5)).map {
              RecordedLine(
                time: Double($0), stream: .output, bytes: [UInt8](repeating: 65, count: 50 * number)
              )
            })
        ])
      }
      // It has a name, and output.
      let claims = try journal.commit(claims: [entry("named", name: "x")])
      guard case .granted(let execution) = claims[0] else { return }
      failed = execution
      try journal.commit(ends: [
        ExecutionEnd(
          execution: execution, state: .failed, started: 10, duration: 1, code: 1,
          errorKind: "exit", error: "it failed",
          output: [RecordedLine(time: 0, stream: .errors, bytes: Array("why".utf8))])
      ])
      try journal.finish(status: 1)
    }
    do {
      let killed = try place.open()
      try killed.begin()
      running = try killed.start("killed")
    }
    bytes = try read()
    for execution in try open().executions() { executions[execution.id] = execution.state }
  }

  func open() throws -> Journal { try Journal(path, isCreated: false) }

  func change(_ sql: String) throws { try place.database().execute(sql) }

  func restore(_ bytes: [UInt8]? = nil) throws {
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    let file = try #require(fopen(path, "we"))
    let bytes = bytes ?? self.bytes
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }

  private func read() throws -> [UInt8] {
    let file = try #require(fopen(path, "re"))
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }

  /// Does all that can be done with a journal; errors are expected.
  func useAll() {
    _ = try? open().batches()
    _ = try? open().executions()
    if let journal = try? open() {
      for execution in executions.keys {
        _ = try? journal.execution(execution)
        _ = try? journal.output(of: execution)
      }
      guard (try? journal.begin(.resumption)) != nil else { return }
      _ = try? journal.claim("entry 0", "entry 9", "named", "killed", "new")
      _ = try? journal.leftovers()
      _ = try? journal.finish(status: 0)
    }
  }

  /// Whether a batch that goes on is refused, or else finds done what has been done.
  var isToldOrUnchanged: Bool {
    do {
      let journal = try open()
      var states: [Int64: RecordedState] = [:]
      for execution in try journal.executions() { states[execution.id] = execution.state }
      _ = try journal.batches()
      try journal.begin(.resumption)
      let claims = try journal.commit(claims: completed.map { entry($0) })
      let areDone = claims.allSatisfy { if case .completed = $0 { true } else { false } }
      return areDone && states == executions
    } catch {
      return error is JournalError
    }
  }
}

/// The same numbers for the same seed: SplitMix64.
private struct Random: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
