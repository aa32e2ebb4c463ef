import Journal
import Platform
import RunnerCore
import Scripting

/// Writes a batch as JUnit XML, which CI systems read as test results: an entry is a test case, and so is
/// what was executed because entries need it.
/// Cases go to a file as they arrive; the counts, which must precede them, are inserted at the end.
final class JUnitReport: BatchObserver {
  private let file: ReportFile
  private var tests = 0
  private var failures = 0
  private var errors = 0
  private var skipped = 0

  init(_ path: String) throws(UsageError) {
    file = try ReportFile(path)
  }

  func removeOld() { file.removeOld() }

  /// One test case.
  struct Case {
    let name: String
    /// What its kind has in common.
    let suite: String
    let outcome: BatchResult.Outcome
    let isUpToDate: Bool
    /// Seconds.
    let duration: Double
    let output: [RecordedLine]
  }

  func ended(_ result: BatchResult) { add(Case(result)) }

  /// Adds a test case.
  func add(_ test: Case) {
    tests += 1
    var text =
      "<testcase name=\"\(escaped(test.name))\" classname=\"\(escaped(test.suite))\" "
      + "time=\"\(decimal(test.duration))\">"
    switch test.outcome {
    case .completed where test.isUpToDate:
      skipped += 1
      text += "<skipped message=\"up to date\"/>"
    case .completed: break
    case .skipped(let why):
      skipped += 1
      text += "<skipped message=\"\(escaped(why))\"/>"
    case .cancelled(let failure):
      errors += 1
      text += "<error message=\"\(escaped(failure.text))\" type=\"cancelled\"/>"
    case .failed(let failure):
      // In this format, an execution that could not even start is an error.
      let element = failure.isOfWork ? "failure" : "error"
      if failure.isOfWork { failures += 1 } else { errors += 1 }
      let details = [failure.text, failure.stderr, failure.traceback].compactMap(\.self)
      text +=
        "<\(element) message=\"\(escaped(failure.text))\" type=\"\(failure.kind.rawValue)\">"
        + escaped(details.joined(separator: "\n")) + "</\(element)>"
    }
    text +=
      stream(test.output, [.output, .chunk], "system-out")
      + stream(test.output, [.errors, .errorChunk], "system-err")
    file.write(text + "</testcase>\n")
  }

  private func stream(
    _ lines: [RecordedLine], _ streams: [RecordedLine.Stream], _ element: String
  ) -> String {
    let lines = lines.filter { streams.contains($0.stream) }
    if lines.isEmpty { return "" }
    let bytes = lines.flatMap { line -> [UInt8] in
      line.bytes + (line.stream.endsLine ? [10] : [])
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return "<\(element)>\(escaped(text))</\(element)>"
  }

  /// Writes the file.
  ///
  /// - Returns: the error message, if it failed.
  func finish(_ name: String, started: Double, duration: Double) -> String? {
    let counts =
      "tests=\"\(tests)\" failures=\"\(failures)\" errors=\"\(errors)\" "
      + "time=\"\(decimal(duration))\""
    file.write("</testsuite>\n</testsuites>\n")
    return file.finish(
      heading: """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="raclette" \(counts)>
        <testsuite name="\(escaped(name))" \(counts) skipped="\(skipped)" \
        timestamp="\(timeText(ofUTC: started))" hostname="\(escaped(hostName))">

        """)
  }
}

extension JUnitReport.Case {
  fileprivate init(_ result: BatchResult) {
    let entry = result.entry
    self.init(
      name: entry.name ?? "\(entry.plan):\(entry.line)",
      suite: entry.kind == .malformed ? entry.plan : entry.command, outcome: result.outcome,
      isUpToDate: result.isUpToDate, duration: result.duration, output: result.output)
  }
}

extension Failure {
  /// True if the work ran and failed; false if it could not run.
  fileprivate var isOfWork: Bool {
    switch kind {
    case .exit, .lua, .user, .timeout: true
    case .spawn, .notEnabled, .cancelled, .dependency, .input, .limit, .lost: false
    }
  }
}

/// Seconds with milliseconds.
func decimal(_ seconds: Double) -> String {
  Duration.milliseconds(Int64((seconds * 1000).rounded())).secondsText
}
