/// How the output of executions that run side by side is shown.
protocol OutputLayout: AnyObject {
  func began(_ record: ExecutionRecord)
  /// Values as they are written, secrets masked: lines with their newlines, or chunks; valid only during
  /// the call.
  func values(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord)
  /// Whether what processes write to standard error has to come in whole lines.
  var takesErrorLines: Bool { get }
  /// What a process wrote to standard error; valid only during the call.
  func errors(_ bytes: UnsafeRawBufferPointer, of record: ExecutionRecord?)
  /// Before anything is said about the end of the execution.
  func ended(_ record: ExecutionRecord)
}

/// The layouts by their names.
enum OutputMode: String, CaseIterable, Sendable {
  /// Everything as it comes.
  case interleave
  /// Each line behind the name of its command.
  case prefix
  /// The whole output of an execution at its end.
  case group
  /// Only the output of executions that fail.
  case quiet

  /// A layout that writes to these outputs.
  func layout(_ output: ValueOutput, _ style: LayoutStyle) -> any OutputLayout {
    switch self {
    case .interleave: InterleavedLayout(output)
    case .prefix: PrefixedLayout(output, style)
    case .group: GroupedLayout(output, style, shows: { _ in true })
    case .quiet: GroupedLayout(output, style, shows: { $0.outcome == .failed })
    }
  }
}

/// What layouts need to know of the place they write to.
struct LayoutStyle: Sendable {
  let values: Style
  let errors: Style
  /// The names of all commands of the run, as far as they are known, for alignment.
  var names: [String] = []
  /// Whether blocks have a line of their own above them.
  var hasHeadings = false
  /// Whether the output is read by GitHub's runner, which folds groups.
  var isGitHub = false
}
