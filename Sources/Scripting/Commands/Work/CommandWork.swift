/// The work of a command, as its definition gives it: `run`, or the list `steps`.
struct CommandWork: Sendable {
  /// One step of the work.
  enum Step: Sendable {
    /// One or several lines for the shell.
    case line([UInt8])
    /// A program and its arguments, which no shell reads.
    case program([[UInt8]])
    /// The Lua function at this position of the command's functions.
    case function(position: Int)

    var isFunction: Bool { if case .function = self { true } else { false } }
    var isProgram: Bool { if case .program = self { true } else { false } }
  }

  let steps: [Step]
  /// True if the definition gives `steps`, so that messages and the echo number them.
  let isList: Bool

  /// The field that gives the work.
  var field: String { isList ? "steps" : "run" }

  /// True if it consists of lines and programs only: it then takes no arguments except those that
  /// are declared, as nothing else would use them.
  var isWithoutFunctions: Bool { !steps.contains(where: \.isFunction) }
}
