import Journal
import Platform
import Scripting

/// A batch in the XML that CI systems read as test results: an entry is a test case. Cases go to a
/// file as they come; what counts them, which has to stand in front, is put there at the end.
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

  func ended(_ result: BatchResult) {
    tests += 1
    let entry = result.entry
    let name = entry.name ?? "\(entry.plan):\(entry.line)"
    let suite = entry.kind == .malformed ? entry.plan : entry.command
    var text =
      "<testcase name=\"\(escaped(name))\" classname=\"\(escaped(suite))\" "
      + "time=\"\(decimal(result.duration))\">"
    switch result.outcome {
    case .completed: break
    case .skipped(let why):
      skipped += 1
      text += "<skipped message=\"\(escaped(why))\"/>"
    case .cancelled(let failure):
      errors += 1
      text += "<error message=\"\(escaped(failure.text))\" type=\"cancelled\"/>"
    case .failed(let failure):
      // What could not even be tried is an error, in the words of this format.
      let element = failure.isOfWork ? "failure" : "error"
      if failure.isOfWork { failures += 1 } else { errors += 1 }
      let details = [failure.text, failure.stderr, failure.traceback].compactMap(\.self)
      text +=
        "<\(element) message=\"\(escaped(failure.text))\" type=\"\(failure.kind.rawValue)\">"
        + escaped(details.joined(separator: "\n")) + "</\(element)>"
    }
    text +=
      stream(result.output, [.output, .chunk], "system-out")
      + stream(result.output, [.errors, .errorChunk], "system-err")
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
  /// - Returns: what went wrong.
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
        timestamp="\(timestamp(started))" hostname="\(escaped(hostName()))">

        """)
  }
}

extension Failure {
  /// Whether the work was done and failed, and not merely could not be done.
  fileprivate var isOfWork: Bool {
    switch kind {
    case .exit, .lua, .user, .timeout: true
    case .spawn, .notEnabled, .cancelled, .dependency, .input, .limit: false
    }
  }
}

/// A text inside XML; characters that XML cannot hold are replaced.
func escaped(_ text: String) -> String {
  var result = ""
  for scalar in text.repaired.unicodeScalars {
    switch scalar {
    case "&": result += "&amp;"
    case "<": result += "&lt;"
    case ">": result += "&gt;"
    case "\"": result += "&quot;"
    case "\n", "\t": result.unicodeScalars.append(scalar)
    case "\r": result += "&#13;"
    case _ where scalar.value < 32 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
      result += "\u{FFFD}"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Seconds with milliseconds.
func decimal(_ seconds: Double) -> String {
  Duration.milliseconds(Int64((seconds * 1000).rounded())).secondsText
}

/// A moment in UTC, as ISO 8601 has it.
private func timestamp(_ seconds: Double) -> String {
  var time = time_t(seconds)
  var parts = tm()
  gmtime_r(&time, &parts)
  return text(of: parts, "%Y-%m-%dT%H:%M:%S")
}

/// A moment in parts as a text.
func text(of parts: tm, _ format: String) -> String {
  var parts = parts
  var space = [CChar](repeating: 0, count: 64)
  let count = strftime(&space, space.count, format, &parts)
  return String(decoding: space[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}

private func hostName() -> String {
  var space = [CChar](repeating: 0, count: 256)
  gethostname(&space, space.count - 1)
  return String(decoding: space.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
