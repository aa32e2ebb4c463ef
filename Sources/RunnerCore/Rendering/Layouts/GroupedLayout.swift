/// Writes the output of each execution in one piece at its end, in the order of their ends.
package final class GroupedLayout: OutputLayout {
  package let takesErrorLines = false
  package let showsUnfinishedLines = false
  private let output: ValueOutput
  private let style: LayoutStyle
  private let shows: (ExecutionRecord) -> Bool
  private var blocks: [ObjectIdentifier: OutputBlock] = [:]

  /// - Parameter shows: returns true if the output of an ended execution is shown.
  init(
    _ output: ValueOutput, _ style: LayoutStyle, shows: @escaping (ExecutionRecord) -> Bool
  ) {
    self.output = output
    self.style = style
    self.shows = shows
  }

  package func began(_ record: ExecutionRecord) {
    blocks[ObjectIdentifier(record)] = OutputBlock()
  }

  package func values(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord) {
    guard let block = blocks[ObjectIdentifier(record)] else { return output.write(masked: bytes) }
    block.append(bytes, .values)
  }

  package func unfinished(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord) {}

  package func errors(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord?) {
    guard let record, let block = blocks[ObjectIdentifier(record)] else {
      return Terminal.error(bytes: bytes)
    }
    block.append(bytes, .errors)
  }

  package func ended(_ record: ExecutionRecord) {
    guard let block = blocks.removeValue(forKey: ObjectIdentifier(record)) else { return }
    guard shows(record), !block.isEmpty else { return }
    if style.isGitHub {
      Terminal.error("::group::\(record.label)\n")
    } else if style.hasHeadings {
      Terminal.error(style.errors.colorIndex(record.colorIndex, "\(record.label):") + "\n")
    }
    block.replay { [output] bytes, stream in
      switch stream {
      case .values: output.write(masked: bytes)
      case .errors: Terminal.error(bytes: bytes)
      }
    }
    if style.isGitHub { Terminal.error("::endgroup::\n") }
  }
}
