import Platform
import Testing

/// The file that keeps what the programs of one test wrote. `scripts/run-tests` names the folder of
/// these files in RACLETTE_TRANSCRIPTS, and prints the file of each test that fails.
struct Transcript: Sendable {
  /// The one of the test that the current thread works for.
  @TaskLocal static var current: Transcript?

  private static let folder = getenv("RACLETTE_TRANSCRIPTS").map { String(cString: $0) }
  /// More of one program's output than this is cut at its beginning.
  private static let limit = 8_000

  private let path: String

  /// - Returns: nil if nobody asks for transcripts, or outside a test.
  init?(of test: Test?) {
    guard let folder = Self.folder, let test else { return nil }
    let name = test.displayName ?? test.name
    path = folder + "/" + name.map { $0 == "/" ? "_" : $0 }
  }

  /// Adds what one program wrote.
  func add(_ words: [String], status: Int32?, _ texts: [[UInt8]]) {
    let end = status.map { "status \($0)" } ?? "did not end"
    var bytes = Array("$ \(words.joined(separator: " ")): \(end)\n".utf8)
    for text in texts where !text.isEmpty {
      bytes += text.suffix(Self.limit)
      if bytes.last != 10 { bytes.append(10) }
    }
    guard let file = fopen(path, "ae") else { return }
    // One write, so that programs that end at the same time stay apart.
    setvbuf(file, nil, _IOFBF, bytes.count + 1)
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
}
