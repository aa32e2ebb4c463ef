import RunnerCore

/// Prints the events and the output of a panel as NDJSON. On the loop's thread.
final class PanelPrinter {
  private let output: ValueOutput
  private var cursors: [Int: (cursor: OutputCursor, encoder: OutputEncoder)] = [:]

  init(_ output: ValueOutput) { self.output = output }

  func print(_ event: String) { output.write(event + "\n") }

  /// Prints the output that an execution has just got.
  func printOutput(of execution: PanelExecution, _ count: Int) {
    var place =
      cursors[execution.id]
      ?? (
        OutputCursor(execution.output, from: execution.output.count - count),
        OutputEncoder(command: execution.command, execution: execution.id)
      )
    var text: [UInt8] = []
    place.cursor.read { item in
      place.encoder.encode(item, to: &text)
      text.append(10)
      return true
    }
    cursors[execution.id] = place
    output.write(String(decoding: text, as: UTF8.self))
  }

  func forget(_ execution: PanelExecution) { cursors[execution.id] = nil }
}
