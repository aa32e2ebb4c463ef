import Platform
import RunnerCore
import Scripting

/// Writes outputs as events in JSON: the schema of `run --json`, with the number of the output.
struct OutputEncoder {
  private let ending: [UInt8]
  private let command: String
  private let execution: Int

  /// - Parameters:
  ///   - command: the name of the command.
  ///   - execution: the number of the execution.
  init(command: String, execution: Int) {
    self.command = command
    self.execution = execution
    ending = Array(
      ",\"command\":\(JSONText.quoted(command)),\"execution\":\(execution),\"n\":".utf8)
  }

  /// Appends the event of an output, without a newline.
  func encode(_ output: OutputCursor.Output, to text: inout [UInt8]) {
    text += #"{"v":1,"seq":"#.utf8
    text.append(decimal: output.run.number + output.index)
    text += #","ts":"#.utf8
    text.append(time: output.run.time)
    text += output.run.kind.type.utf8
    text += ending
    text.append(decimal: output.number)
    if output.run.kind == .step { return append(step: output.bytes, to: &text) }
    text += #","value":"#.utf8
    if output.run.kind == .json {
      text += output.bytes
    } else {
      appendText(output.bytes, isValue: output.run.kind != .errorLines, to: &text)
      if output.run.kind == .chunk { text += #","chunk":true"#.utf8 }
    }
    text.append(UInt8(ascii: "}"))
  }

  /// Appends the fields of a step, and the end of its event.
  private func append(step bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
    let step = WorkStep(text: String(decoding: bytes, as: UTF8.self))
    text += #","step":\#(step?.number ?? 1),"steps":\#(step?.count ?? 1),"name":"#.utf8
    text += JSONText.quoted(step?.name ?? "").utf8
    text.append(UInt8(ascii: "}"))
  }

  /// Appends the event of a line that is begun, without a newline.
  ///
  /// - Parameters:
  ///   - number: the sequence number of the event.
  ///   - next: the number of the output that comes next.
  func encode(_ line: BegunLine, _ number: Int, before next: Int, to text: inout [UInt8]) {
    text += #"{"v":1,"seq":"#.utf8
    text.append(decimal: number)
    text += #","ts":"#.utf8
    text.append(time: WallClock.seconds)
    text += #","type":"unfinished""#.utf8
    text += ending
    text.append(decimal: next)
    text += #","value":"#.utf8
    line.bytes.withUnsafeBytes { appendText($0, isValue: false, to: &text) }
    if line.stream == .errors { text += #","stderr":true"#.utf8 }
    text.append(UInt8(ascii: "}"))
  }

  /// The event in place of outputs that are no longer kept.
  ///
  /// - Parameters:
  ///   - number: the sequence number of the event.
  ///   - outputs: the numbers of the outputs.
  func loss(_ number: Int, of outputs: Range<Int>) -> [UInt8] {
    Array(
      EventJSON.text(
        number, "lost",
        [
          ("command", JSONValue.string(command).text), ("execution", "\(execution)"),
          ("n", "\(outputs.lowerBound)"), ("missed", "\(outputs.count)"),
        ]
      ).utf8)
  }

  private func appendText(
    _ bytes: UnsafeRawBufferPointer, isValue: Bool, to text: inout [UInt8]
  ) {
    if JSONText.append(quoted: bytes, to: &text) || !isValue { return }
    text += #","value_base64":""#.utf8
    text += Base64.text(of: Array(bytes)).utf8
    text.append(UInt8(ascii: "\""))
  }
}

extension OutputRun.Kind {
  /// The field of the type of its events.
  fileprivate var type: String {
    switch self {
    case .errorLines: #","type":"stderr""#
    case .step: #","type":"step""#
    case .lines, .text, .json, .chunk: #","type":"next""#
    }
  }
}

/// Texts as JSON, byte by byte.
enum JSONText {
  static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    text.withExactBytes { _ = append(quoted: $0, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends a text in quotes; bytes that are not UTF-8 become U+FFFD.
  ///
  /// - Returns: false if there were such bytes.
  static func append(quoted bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) -> Bool {
    text.append(UInt8(ascii: "\""))
    defer { text.append(UInt8(ascii: "\"")) }
    if bytes.allSatisfy({ $0 < 128 }) {
      append(escaped: bytes, to: &text)
      return true
    }
    if String(validating: bytes, as: UTF8.self) != nil {
      append(escaped: bytes, to: &text)
      return true
    }
    var repaired = String(decoding: bytes, as: UTF8.self)
    repaired.withUTF8 { append(escaped: UnsafeRawBufferPointer($0), to: &text) }
    return false
  }

  private static func append(escaped bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
    var start = 0
    for index in bytes.indices {
      let byte = bytes[index]
      guard byte < 32 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
      text.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start..<index]))
      start = index + 1
      text.append(UInt8(ascii: "\\"))
      switch byte {
      case 10: text.append(UInt8(ascii: "n"))
      case 13: text.append(UInt8(ascii: "r"))
      case 9: text.append(UInt8(ascii: "t"))
      case 0..<32:
        text += "u00".utf8
        text.append(hexDigit(byte >> 4))
        text.append(hexDigit(byte & 15))
      default: text.append(byte)
      }
    }
    text.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[start...]))
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}

extension [UInt8] {
  mutating func append(decimal number: Int) {
    guard number >= 10 else {
      if number >= 0 { return append(UInt8(ascii: "0") + UInt8(number)) }
      return self += String(number).utf8
    }
    let start = count
    var rest = number
    while rest > 0 {
      append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    }
    self[start...].reverse()
  }

  /// Appends seconds with six digits behind the point.
  mutating func append(time: Double) {
    let micros = Int(time * 1e6)
    append(decimal: micros / 1_000_000)
    append(UInt8(ascii: "."))
    var digits = micros % 1_000_000
    var place = 100_000
    while place > 0 {
      append(UInt8(ascii: "0") + UInt8(digits / place))
      digits %= place
      place /= 10
    }
  }
}
