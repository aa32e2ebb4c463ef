/// The working context of a process: its folder and its variables.
struct ProcessContext: Sendable {
  /// The folder; nil for that of the program.
  var directory: [UInt8]?
  /// The variables that it begins with; nil for those of its interpreter.
  var caller: CallerEnvironment?
  /// The differences from these; the last change of a name counts.
  var variables: [EnvironmentChange] = []
  /// The name of the command; nil outside commands.
  var name: String?
  /// The words of the command's rest parameter, which lines and scripts have as `"$@"`; nil if it has
  /// none.
  var rest: [[UInt8]]?
  /// The shell of the command; nil for the usual one.
  var shell: Shell?
  /// True if the process owns the terminal.
  var isInteractive = false
  /// True if the process has a pseudo-terminal of its own.
  var hasTerminal = false
  /// Which of the variables that it begins with the process gets; nil for all.
  var passed: PassedVariables?

  init() {}

  /// One with the variables that it begins with alone.
  init(_ caller: CallerEnvironment) { self.caller = caller.isOwn ? nil : caller }

  /// Combines the context of the command that a process works for with variables over which it takes
  /// precedence.
  init(_ outer: ProcessContext?, over defaults: [EnvironmentChange]) {
    self = outer ?? ProcessContext()
    if !defaults.isEmpty { variables = defaults + variables }
  }

  /// Combines the options of a process with such a context.
  init(
    _ outer: ProcessContext?, _ options: ProcessOptions, over defaults: [EnvironmentChange]
  ) {
    self.init(outer, over: defaults)
    if outer == nil, options.base?.isEmpty == false { directory = options.base }
    variables += options.variables
    guard let inner = options.directory else { return }
    let slash = UInt8(ascii: "/")
    directory = inner.first == slash ? inner : directory.map { $0 + [slash] + inner } ?? inner
  }

  /// The entries `NAME=value`; nil for the program's own.
  ///
  /// - Parameter own: those of its interpreter.
  func environment(of own: CallerEnvironment) -> [[UInt8]]? {
    Scripting.environment(changing: variables, of: caller ?? own, passing: passed)
  }
}
