import Platform
import Testing
import TextFiles

@testable import Journal

/// The journals in the folder `Journals`, which programs of each released version have written: one
/// batch of the plan there. A new version adds one; those that are there do not change.
@Suite("journals of all versions") struct KeptJournalTests {
  static let folder = TextFile.packageFolder + "/Tests/JournalTests/Journals"
  static let versions = [5]

  private let place = Place()

  private func copy(_ version: Int) throws {
    let content = try #require(fileContent("\(Self.folder)/version-\(version).db"))
    let file = try #require(fopen(place.journal, "we"))
    #expect(fwrite(content, 1, content.count, file) == content.count)
    fclose(file)
  }

  @Test("are kept, one of each, today's too")
  func all() {
    #expect(Self.versions.last == Schema.version)
  }

  @Test("tell their version and stay as they are when they are only looked at", arguments: versions)
  func version(_ version: Int) throws {
    try copy(version)
    #expect(try Journal.examine(place.journal) == version)
    #expect(try place.database().number("PRAGMA user_version") == version)
  }

  @Test("become today's with all that they record", arguments: versions)
  func upgrade(_ version: Int) throws {
    try copy(version)
    let journal = try place.open()
    let executions = try journal.executions()
    #expect(executions.map(\.command) == ["compile", "compile", "fail"])
    #expect(executions.map(\.state) == [.completed, .completed, .failed])
    #expect(executions.map(\.input) == [#"{"file":"a.c"}"#, #"{"file":"b.c"}"#, ""])
    #expect(try journal.output(of: 1).map(\.bytes) == [Array("compiled a.c".utf8)])
    #expect(try journal.output(of: 3).map(\.bytes) == [Array("why".utf8)])
    #expect(try journal.batches().map(\.status) == [1])
    try journal.begin(.resumption)
    #expect(try Journal.examine(place.journal) == Journal.currentVersion)
  }

  @Test("that are later ones, or are missing, are refused")
  func refused() throws {
    #expect(throws: JournalError.missing(place.journal)) { try Journal.examine(place.journal) }
    try copy(5)
    try place.database().execute("PRAGMA user_version = 99")
    #expect(throws: JournalError.newer(place.journal, version: 99, known: Schema.version)) {
      try Journal.examine(place.journal)
    }
  }
}
