/// Where a process works: its folder and the variables it gets.
struct ProcessContext: Sendable {
  /// Nil for the folder of the program.
  var directory: [UInt8]?
  /// What differs from the program's own environment.
  var variables: [EnvironmentChange] = []
  /// Whether the terminal is the process's own.
  var isInteractive = false

  init() {}

  /// What a process asks for, inside the place of the command that it works for.
  init(_ outer: ProcessContext?, _ options: ProcessOptions) {
    self = outer ?? ProcessContext()
    variables += options.variables
    guard let inner = options.directory else { return }
    let slash = UInt8(ascii: "/")
    directory = inner.first == slash ? inner : directory.map { $0 + [slash] + inner } ?? inner
  }

  /// Entries `NAME=value`; nil for the program's own.
  var environment: [[UInt8]]? { Scripting.environment(changing: variables) }
}
