import Platform
import Testing

@Suite("sizes in bytes")
struct ByteSizeTests {
  private static let read: [(String, Int)] = [
    ("4096", 4096), ("1", 1), ("256M", 268_435_456), ("256m", 268_435_456),
    ("6G", 6_442_450_944), ("6GB", 6_442_450_944), ("6GiB", 6_442_450_944), ("10b", 10),
    ("2T", 2_199_023_255_552), ("1.5K", 1536), ("0.5G", 536_870_912),
  ]

  @Test("are read with their units", arguments: read)
  func sizes(_ text: String, _ bytes: Int) {
    #expect(Int(size: text) == bytes)
  }

  @Test(
    "are nothing else",
    arguments: [
      "", "0", "-1", "M", "1.5", "1,5G", "6GG", "6 G", "0x10M", "nan", "infG", "1e3K", ".",
      "0.0001K", "9000000T", "9.9e99T", "99999999.5T", "6GBB",
    ])
  func nothing(_ text: String) {
    #expect(Int(size: text) == nil)
  }
}
