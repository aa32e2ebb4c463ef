import Testing

@testable import Journal

@Suite struct EntryKeyTests {
  @Test func theBoundsOfPartsCount() {
    #expect(EntryKey("ab", "c") != EntryKey("a", "bc"))
    #expect(EntryKey("a") != EntryKey("a", ""))
    #expect(EntryKey("a", "b") == EntryKey("a", "b"))
  }
}
