import RunnerCore

/// The entries of one session, numbered from 1.
struct EntryLog {
  private(set) var texts: [String] = []

  /// The number of the latest entry.
  var latest: Int { texts.count }

  mutating func add(_ text: [UInt8]) { texts.append(String(decoding: text, as: UTF8.self)) }

  subscript(number: Int) -> String? {
    texts.indices.contains(number - 1) ? texts[number - 1] : nil
  }

  /// The latest entries with their numbers: a number of them, or those that contain a text.
  func entries(_ request: String, usually count: Int) -> [(number: Int, text: String)] {
    let all = texts.enumerated().map { (number: $0.offset + 1, text: $0.element) }
    if let count = Int(request) { return all.suffix(max(0, count)) }
    guard !request.isEmpty else { return all.suffix(count) }
    return all.filter { $0.text.contains(request) }
  }
}
