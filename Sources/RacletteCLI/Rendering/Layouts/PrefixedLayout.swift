/// Each line behind the name of its command, aligned, in a colour of its own.
final class PrefixedLayout: OutputLayout {
  let takesErrorLines = true
  private let output: ValueOutput
  private let style: LayoutStyle
  private var width: Int

  init(_ output: ValueOutput, _ style: LayoutStyle) {
    self.output = output
    self.style = style
    width = style.names.map(\.count).max() ?? 0
  }

  func began(_ record: ExecutionRecord) {
    width = max(width, record.command.count)
  }

  func values(_ lines: UnsafeRawBufferPointer, of record: ExecutionRecord) {
    prefixed(lines.dropLast(), prefix(of: record, style.values)).withUnsafeBytes {
      output.write($0)
    }
  }

  func errors(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord?) {
    guard let record else { return Terminal.error(bytes: bytes) }
    prefixed(bytes.dropLast(), prefix(of: record, style.errors)).withUnsafeBytes {
      Terminal.error(bytes: $0)
    }
  }

  func ended(_ record: ExecutionRecord) {}

  private func prefix(of record: ExecutionRecord, _ style: Style) -> [UInt8] {
    let padding = String(repeating: " ", count: max(0, width - record.command.count))
    return Array((style.lane(record.lane, record.command + padding + " |") + " ").utf8)
  }

  private func prefixed(_ text: Slice<UnsafeRawBufferPointer>, _ prefix: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count + prefix.count + 1)
    for line in text.split(separator: 10, omittingEmptySubsequences: false) {
      result += prefix
      result += line
      result.append(10)
    }
    return result
  }
}
