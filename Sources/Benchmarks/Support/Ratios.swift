import Platform
import Synchronization

/// The ratios that the suites of this run have measured, by the titles of their rows.
struct Ratios {
  /// The share of its expected ratio that a row may take. Machines differ, and a run of CI is short:
  /// what is looked for is a row that lost its specialisation, and costs several times as much.
  private static let tolerance = 2.0
  /// That of a ratio of instructions, which depends on the libraries of the system alone.
  private static let toleranceOfCounts = 1.1

  /// The most that a row may have.
  static func limit(of title: String, _ expected: Double) -> Double {
    expected * (title.hasPrefix("instructions ") ? toleranceOfCounts : tolerance)
  }

  private(set) var measured: [String: Double] = [:]
  /// The ratios that only the first measurement of a process can tell.
  private var lasting: [String: Double] = [:]
  /// The number of blocks of each row; fewer when ratios are only checked. BENCH_BLOCKS in the
  /// environment sets it, for a profiler.
  var blocks = getenv("BENCH_BLOCKS").flatMap { Int(String(cString: $0)) } ?? 15

  /// The rows that cannot be measured on this machine.
  private(set) var leftOut: Set<String> = []

  mutating func note(_ title: String, _ ratio: Double) { measured[title] = ratio }

  mutating func leaveOut(_ titles: String...) { leftOut.formUnion(titles) }

  /// Notes a ratio of memory, which a process that has had the memory before does not tell.
  mutating func noteFirst(_ title: String, _ ratio: Double) {
    lasting[title] = lasting[title] ?? ratio
    measured[title] = lasting[title]
  }

  mutating func forget() { measured = lasting }

  /// The ratios in a file: a line for each, the number and then the title.
  static func read(_ path: String) -> [String: Double]? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var expected: [String: Double] = [:]
    var line = [CChar](repeating: 0, count: 1_024)
    while fgets(&line, Int32(line.count), file) != nil {
      let bytes = line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
      let text = String(decoding: bytes, as: UTF8.self)
      let words = text.dropLast().split(separator: " ", maxSplits: 1)
      guard words.count == 2, let ratio = Double(words[0]) else { continue }
      expected[String(words[1])] = ratio
    }
    return expected
  }

  /// Writes the measured ratios into a file.
  func write(_ path: String) {
    guard let file = fopen(path, "we") else { return print("cannot write \(path)") }
    for (title, ratio) in measured.sorted(by: { $0.key < $1.key }) {
      fputs("\(twoDigits(ratio)) \(title)\n", file)
    }
    fclose(file)
  }
}

let ratios = Mutex(Ratios())

/// The suites whose ratios do not depend on disks or installed programs.
let checkedSuites: Set = ["startup", "reactive", "commands", "lua", "counted"]

/// Measures the checked suites, up to three times, and compares with the ratios in a file.
///
/// - Returns: true if each row has kept its ratio, within the tolerance, in one of the measurements.
func keepsRatios(in path: String, measure: () -> Void) -> Bool {
  guard let expected = Ratios.read(path), !expected.isEmpty else {
    print("no ratios in \(path); `scripts/bench --write` measures and writes them")
    return false
  }
  ratios.withLock { $0.blocks = 5 }
  var exceeded = expected
  for attempt in 1...3 {
    ratios.withLock { $0.forget() }
    measure()
    let measured = ratios.withLock { $0.measured }
    let leftOut = ratios.withLock { $0.leftOut }
    exceeded = exceeded.filter { title, ratio in
      guard let measured = measured[title] else { return !leftOut.contains(title) }
      return measured > Ratios.limit(of: title, ratio)
    }
    let unknown = measured.keys.filter { expected[$0] == nil }.sorted()
    for title in unknown { print("\(title): no ratio in \(path)") }
    if exceeded.isEmpty { return unknown.isEmpty }
    for (title, ratio) in exceeded.sorted(by: { $0.key < $1.key }) {
      let figure = measured[title].map { "is \(twoDigits($0))" } ?? "was not measured"
      print(
        "measurement \(attempt) of 3: \(title): the ratio \(figure), expected \(twoDigits(ratio)), "
          + "at most \(twoDigits(Ratios.limit(of: title, ratio)))")
    }
  }
  return false
}
