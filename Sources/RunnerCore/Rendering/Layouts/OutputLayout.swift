/// Determines how the output of concurrent executions is shown.
package protocol OutputLayout: AnyObject {
  func began(_ record: ExecutionRecord)
  /// Writes values in their written form, with secrets masked: lines with their newlines, or
  /// chunks; valid only during the call.
  func values(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord)
  /// True if it writes lines before they have ended.
  var showsUnfinishedLines: Bool { get }
  /// Writes more of a line that has not ended, with secrets masked; valid only during the call. The
  /// values that follow continue it.
  func unfinished(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord)
  /// True if standard error of processes must arrive in whole lines.
  var takesErrorLines: Bool { get }
  /// Writes standard error of a process; valid only during the call.
  func errors(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord?)
  /// Called before the end of the execution is reported.
  func ended(_ record: ExecutionRecord)
}

/// The layouts by their names.
package enum OutputMode: String, CaseIterable, Sendable {
  /// All output as it arrives.
  case interleave
  /// Each line after the name of its command.
  case prefix
  /// The whole output of an execution at its end.
  case group
  /// Only the output of executions that fail.
  case quiet

  /// Creates the layout, which writes to this output.
  package func layout(_ output: ValueOutput, _ style: LayoutStyle) -> any OutputLayout {
    switch self {
    case .interleave: InterleavedLayout(output)
    case .prefix: PrefixedLayout(output, style)
    case .group: GroupedLayout(output, style, shows: { _ in true })
    case .quiet: GroupedLayout(output, style, shows: { $0.outcome == .failed })
    }
  }
}

/// The properties of the destination that layouts need.
package struct LayoutStyle: Sendable {
  package let values: Style
  let errors: Style
  /// The names of all commands of the run, as far as they are known, for alignment.
  package var names: [String] = []
  /// True if blocks have a heading.
  package var hasHeadings = false
  /// True if GitHub's runner reads the output, where groups can be folded.
  package var isGitHub = false

  package init(
    values: Style, errors: Style, names: [String] = [], hasHeadings: Bool = false,
    isGitHub: Bool = false
  ) {
    self.values = values
    self.errors = errors
    self.names = names
    self.hasHeadings = hasHeadings
    self.isGitHub = isGitHub
  }
}
