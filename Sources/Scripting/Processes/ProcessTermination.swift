import EventLoop
import Platform
import Reactive

extension ProcessOptions {
  /// The program's name for scripts: its file name, or the start of a shell's line.
  var program: String {
    guard case .line(let bytes)? = text else { return words.first ?? "" }
    let line = String(exactly: bytes).drop(while: \.isWhitespace)
    let start = line.prefix { !$0.isNewline }.prefix(60)
    return start.count < line.count ? start + "…" : String(start)
  }

  /// The subject of messages about the process.
  var subject: String {
    switch text {
    case .script(let script): script.subject
    // Which of several lines has failed is not known.
    case .line(let bytes) where bytes.hasSeveralLines: "the script '\(program)'"
    case .line, nil: "'\(program)'"
    }
  }

  /// Returns a failure of the process.
  func failure(_ kind: Failure.Kind, _ message: String) -> Failure {
    var failure = Failure(kind, message)
    failure.argv = words
    return failure
  }

  /// Adds the last lines of standard error to a failure.
  func add(_ errorTail: [UInt8], to failure: inout Failure) {
    let tail = errorTail.last == 10 ? errorTail.dropLast() : errorTail[...]
    failure.stderr = tail.isEmpty ? nil : String(exactly: tail)
    failure.hidesStandardError = errors == .capture
  }

  /// Returns the termination of the signal of a process that has ended by itself.
  func termination(_ end: ProcessEnd) -> Termination {
    var failure = failure(.exit, "")
    add(end.errorTail, to: &failure)
    switch end.status {
    case .exited(let code):
      if successCodes.contains(code) { return .completed }
      failure.code = code
      failure.message = "\(subject) exited with status \(code)"
    case .signalled(let number):
      failure.signal = signalName(number)
      failure.code = 128 + number
      failure.message = "\(subject) was ended by \(signalName(number))"
    case .unknown:
      failure.message = "\(subject) ended in an unknown way"
    }
    return .error(failure)
  }
}

extension [UInt8] {
  fileprivate var hasSeveralLines: Bool {
    let isBlank = { (byte: UInt8) in byte == 10 || byte == 13 || byte == 32 || byte == 9 }
    return split(separator: 10).filter { !$0.allSatisfy(isBlank) }.count > 1
  }
}
