/// Reads what `strace -f -y` writes: lines `PROCESS CALL`, of which a call that another process has
/// interrupted has two.
package struct StraceReader {
  private var rest: [UInt8] = []
  /// The beginnings of the calls that have not returned.
  private var unfinished: [Int32: ArraySlice<UInt8>] = [:]

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
    guard let space = line.firstIndex(of: UInt8(ascii: " ")),
      let process = Int32(String(decoding: line[..<space], as: UTF8.self))
    else { return nil }
    var text = line[space...].drop { $0 == UInt8(ascii: " ") }
    let mark = Array(" <unfinished ...>".utf8)
    if text.suffix(mark.count).elementsEqual(mark) {
      unfinished[process] = ArraySlice(Array(text.dropLast(mark.count)))
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
