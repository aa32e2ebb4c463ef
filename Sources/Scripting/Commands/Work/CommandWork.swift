/// The work of a command, as its definition gives it: `run`, or the list `steps`.
struct CommandWork: Sendable {
  /// One step of the work.
  enum Step: Sendable {
    /// One or several lines for the shell.
    case line([UInt8])
    /// A text that begins with `#!`.
    case script(InterpreterScript)
    /// A program and its arguments, which no shell reads.
    case program([[UInt8]])
    /// The Lua function at this position of the command's functions.
    case function(position: Int)
    /// Another command, with its input.
    case command(Need)

    var isFunction: Bool { if case .function = self { true } else { false } }
    /// True if it could take the words of a rest parameter, as a program and a command do not.
    var takesWords: Bool {
      switch self {
      case .line, .script, .function: true
      case .program, .command: false
      }
    }

    /// What it gives to other programs.
    fileprivate var texts: [[UInt8]] {
      switch self {
      case .line(let line): [line]
      case .script(let script): [script.text]
      case .program(let words): words
      case .function, .command: []
      }
    }
  }

  private(set) var steps: [Step]
  /// How another tool takes the parameters; nil for work of the script's own.
  var arguments: AdoptedArguments?

  /// The texts in which values of `rac.lazy` are still to be computed.
  var markedTexts: [[UInt8]] { steps.flatMap(\.texts).filter(LazyText.isMarked) }

  var hasMarkedTexts: Bool { steps.contains { $0.texts.contains(where: LazyText.isMarked) } }

  /// True if the definition gives `steps`, so that messages and the echo number them.
  let isList: Bool

  /// The field that gives the work.
  var field: String { isList ? "steps" : "run" }

  /// True if it has no functions: it then takes no arguments except those that are declared, as
  /// nothing else would use them.
  var isWithoutFunctions: Bool { !steps.contains(where: \.isFunction) }

  /// The commands that it executes.
  var calls: [Need] {
    steps.compactMap { if case .command(let need) = $0 { need } else { nil } }
  }

  init(steps: [Step], isList: Bool) {
    self.steps = steps
    self.isList = isList
  }

  /// Makes the names of commands those of the program, for a definition in a file of a namespace.
  mutating func refer(in namespace: String) {
    steps = steps.map { step in
      guard case .command(var need) = step else { return step }
      need.refer(in: namespace)
      return .command(need)
    }
  }
}
