/// Reads what `strace -f -y` writes: lines `PROCESS CALL`, of which a call that another process has
/// interrupted has two.
package struct StraceReader {
  private var rest: [UInt8] = []
  /// The beginnings of the calls that have not returned.
  private var unfinished: [Int32: ArraySlice<UInt8>] = [:]

  private static let unfinishedMark = Array(" <unfinished ...>".utf8)
  private static let readingLink = Array("readlink".utf8)
  private static let noLink = Array(" = -1 EINVAL (Invalid argument)".utf8)

  package init() {}

  /// Calls `take` with each event of the lines that a chunk completes, and the process of each.
  ///
  /// - Returns: the number of lines.
  @discardableResult
  package mutating func read(
    _ chunk: some Sequence<UInt8>, _ take: (Int32, TracedEvent) -> Void
  ) -> Int {
    rest += chunk
    var start = 0
    var count = 0
    while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
      count += 1
      if let (process, event) = event(ofLine: rest[start..<end]) { take(process, event) }
      start = end + 1
    }
    rest.removeFirst(start)
    return count
  }

  private mutating func event(ofLine line: ArraySlice<UInt8>) -> (Int32, TracedEvent)? {
    let digits = line.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard !digits.isEmpty, digits.count < 10, digits.endIndex < line.endIndex else { return nil }
    let process = digits.reduce(0) { $0 * 10 + Int32($1 - UInt8(ascii: "0")) }
    var text = line[digits.endIndex...].drop { $0 == UInt8(ascii: " ") }
    // Compilers ask of each folder whether it is a link.
    if text.starts(with: Self.readingLink), text.ends(with: Self.noLink) { return nil }
    if text.ends(with: Self.unfinishedMark) {
      unfinished[process] = ArraySlice(Array(text.dropLast(Self.unfinishedMark.count)))
      return nil
    }
    if text.starts(with: "<... ".utf8) {
      guard let begun = unfinished.removeValue(forKey: process),
        let end = text.firstIndex(of: UInt8(ascii: ">"))
      else { return nil }
      text = begun + text[(end + 1)...]
    }
    guard let call = StraceCall(text), let event = TracedEvent(call) else { return nil }
    return (process, event)
  }
}

extension ArraySlice<UInt8> {
  fileprivate func ends(with other: [UInt8]) -> Bool { suffix(other.count).elementsEqual(other) }
}
