/// Puts the name of the command before each line, aligned, in the command's colour.
package final class PrefixedLayout: OutputLayout {
  package let takesErrorLines = true
  package let showsUnfinishedLines = true
  private let output: ValueOutput
  private let style: LayoutStyle
  private var width: Int
  private var open = OpenLine()
  /// The executions whose open line was ended for others.
  private var broken: Set<ObjectIdentifier> = []
  /// True if the open line ends with a return, behind which the prefix comes anew.
  private var endsInReturn = false

  init(_ output: ValueOutput, _ style: LayoutStyle) {
    self.output = output
    self.style = style
    width = style.names.map(\.count).max() ?? 0
  }

  package func began(_ record: ExecutionRecord) {
    width = max(width, record.label.count)
  }

  package func values(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord) {
    var lines = bytes[...]
    if broken.remove(ObjectIdentifier(record)) != nil, lines.first == 10 {
      lines = lines.dropFirst()
    }
    write(lines, of: record)
  }

  package func unfinished(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord) {
    write(bytes[...], of: record)
  }

  /// Writes text whose last line may go on.
  private func write(_ text: Slice<UnsafeRawBufferPointer>, of record: ExecutionRecord) {
    guard !text.isEmpty else { return }
    endLine(for: record)
    let continues = open.isContinued(by: record)
    prefixed(text, prefix(of: record, style.values), continues: continues).withUnsafeBytes {
      output.write(masked: $0)
    }
    open.record = text.last == 10 ? nil : record
    endsInReturn = text.last == 13
  }

  private func endLine(for record: ExecutionRecord?) {
    if let open = open.record, open !== record, open.outcome == nil {
      broken.insert(ObjectIdentifier(open))
    }
    open.end(for: record, output)
  }

  package func errors(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord?) {
    if Terminal.streamsAreOne { endLine(for: nil) }
    guard let record else { return Terminal.error(bytes: bytes) }
    prefixed(bytes[...], prefix(of: record, style.errors), continues: false).withUnsafeBytes {
      Terminal.error(bytes: $0)
    }
  }

  package func ended(_ record: ExecutionRecord) {
    broken.remove(ObjectIdentifier(record))
  }

  private func prefix(of record: ExecutionRecord, _ style: Style) -> [UInt8] {
    let padding = String(repeating: " ", count: max(0, width - record.label.count))
    return Array((style.colorIndex(record.colorIndex, record.label + padding + " |") + " ").utf8)
  }

  /// Puts the prefix before each line, and behind each return, which would let the text overwrite it.
  private func prefixed(
    _ text: Slice<UnsafeRawBufferPointer>, _ prefix: [UInt8], continues: Bool
  ) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count + prefix.count)
    var rest = text
    var needsPrefix = !continues || (endsInReturn && text.first != 10)
    while !rest.isEmpty {
      let line = rest.prefix(through: rest.firstIndex(of: 10) ?? rest.endIndex - 1)
      rest = rest[line.endIndex...]
      if needsPrefix { result += prefix }
      needsPrefix = true
      guard line.contains(13) else {
        result += line
        continue
      }
      for byte in line {
        if result.last == 13, byte != 10 { result += prefix }
        result.append(byte)
      }
    }
    return result
  }
}
