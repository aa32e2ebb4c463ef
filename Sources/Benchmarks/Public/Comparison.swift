import Platform

/// Work that several programs do, one of them ours.
struct Comparison {
  /// A program and what it is called with.
  struct Contender {
    let name: String
    /// What prints its version.
    let version: [String]
    /// The package that has it.
    let package: String
    /// A line for the shell, in the folder of the work, as the page shows it.
    let line: String
    /// What brings its work up to date before it is measured.
    var first: String?
  }

  let title: String
  /// What is done, for people who want to know whether it is what they do.
  let description: String
  /// The name of its folder.
  let name: String
  let files: [(path: String, text: String)]
  /// Lines for the shell that make further files.
  var preparation: String?
  let ours: Contender
  let peers: [Contender]

  /// A file whose text is short enough for the page.
  var shown: [(path: String, text: String)] { files.filter { $0.text.utf8.count <= 600 } }
}

/// What has been measured of a program.
struct Measurement {
  let contender: Comparison.Contender
  /// Seconds, in the order of the rounds.
  var times: [Double] = []
  /// KiB.
  var peak = 0

  var middle: Double { median(times) }
  /// The bounds of the middle half of the times.
  var half: (low: Double, high: Double) {
    let sorted = times.sorted()
    return (sorted[sorted.count / 4], sorted[sorted.count * 3 / 4])
  }
}

extension Comparison {
  /// The most seconds and rounds that a comparison takes, and the fewest rounds, whatever they take.
  private static var limit: (seconds: Double, rounds: Int, fewest: Int) { (30, 40, 5) }

  /// Measures the programs that are installed in turn, so that a change of the machine's speed meets
  /// all, ours first.
  func measure(in folder: String) -> [Measurement] {
    let place = "\(folder)/\(name)"
    mkdir(place, 0o755)
    for file in files { write(file.text, to: "\(place)/\(file.path)") }
    if let preparation { run(preparation, in: place) }
    var all = ([ours] + peers).filter(\.isInstalled).map { Measurement(contender: $0) }
    let isRepeated = all.contains { $0.contender.first != nil }
    for _ in 0..<(isRepeated ? 2 : 1) {
      for one in all { run(one.contender.first ?? one.contender.line, in: place) }
      // Files that are too young to trust are read again.
      if isRepeated { sleep(3) }
    }
    var spent = 0.0
    for round in 0..<Self.limit.rounds {
      if round >= Self.limit.fewest, spent >= Self.limit.seconds { break }
      for index in all.indices {
        let time = elapsed { run(all[index].contender.line, in: place) } / .seconds(1)
        all[index].times.append(time)
        spent += time
      }
    }
    // In runs of their own, as looking takes time.
    for index in all.indices {
      all[index].peak = peakMemory(of: words(all[index].contender.line, in: place))
    }
    return all
  }

  private func words(_ line: String, in place: String) -> [String] {
    // A line that is one program replaces the shell, whose start would count.
    let isOne = !line.contains("|") && !line.contains(";") && !line.contains("&&")
    return ["sh", "-c", "cd '\(place)' && \(isOne ? "exec " : "")\(line)"]
  }

  private func run(_ line: String, in place: String) { runProcess(words(line, in: place)) }
}

extension Comparison.Contender {
  var isInstalled: Bool { system("command -v '\(version[0])' >/dev/null 2>&1") == 0 }

  /// The first line of what it says of its version.
  var versionText: String {
    let words = version.map { "'\($0)'" }.joined(separator: " ")
    return lineOfProgram("\(words) 2>&1")
  }
}

/// The first line that a line of the shell prints; empty if there is none.
func lineOfProgram(_ line: String) -> String {
  guard let pipe = popen(line, "r") else { return "" }
  defer { pclose(pipe) }
  var bytes = [CChar](repeating: 0, count: 1_024)
  guard fgets(&bytes, Int32(bytes.count), pipe) != nil else { return "" }
  return String(decoding: bytes.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init), as: UTF8.self)
}
