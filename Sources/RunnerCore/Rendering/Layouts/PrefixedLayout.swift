/// Puts the name of the command before each line, aligned, in the command's colour.
package final class PrefixedLayout: OutputLayout {
  package let takesErrorLines = true
  private let output: ValueOutput
  private let style: LayoutStyle
  private var width: Int
  /// The executions whose last chunk ended within a line.
  private var open: Set<ObjectIdentifier> = []

  init(_ output: ValueOutput, _ style: LayoutStyle) {
    self.output = output
    self.style = style
    width = style.names.map(\.count).max() ?? 0
  }

  package func began(_ record: ExecutionRecord) {
    width = max(width, record.label.count)
  }

  package func values(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord) {
    let key = ObjectIdentifier(record)
    var lines = bytes[...]
    // The layout has ended the line of a chunk itself, because lines of others may have followed
    // it.
    if open.remove(key) != nil, lines.first == 10 {
      lines = lines.dropFirst()
      if lines.isEmpty { return }
    }
    if lines.last == 10 { lines = lines.dropLast() } else { open.insert(key) }
    prefixed(lines, prefix(of: record, style.values)).withUnsafeBytes {
      output.write(masked: $0)
    }
  }

  package func errors(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord?) {
    guard let record else { return Terminal.error(bytes: bytes) }
    let lines = bytes.last == 10 ? bytes.dropLast() : bytes[...]
    prefixed(lines, prefix(of: record, style.errors)).withUnsafeBytes {
      Terminal.error(bytes: $0)
    }
  }

  package func ended(_ record: ExecutionRecord) {
    open.remove(ObjectIdentifier(record))
  }

  private func prefix(of record: ExecutionRecord, _ style: Style) -> [UInt8] {
    let padding = String(repeating: " ", count: max(0, width - record.label.count))
    return Array((style.colorIndex(record.colorIndex, record.label + padding + " |") + " ").utf8)
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
