import Scripting

/// What the tool `run` has asked and nobody has answered yet.
struct ToolQuestions {
  struct Question {
    enum Kind {
      /// What has to be answered with yes.
      case confirm(String)
      /// The names of the parameters without a value.
      case parameters([String])
    }

    let run: ToolRun
    let kind: Kind
  }

  /// The most that are kept; the oldest are forgotten.
  private static let most = 100

  private var questions: [Int: Question] = [:]
  private var last = 0

  /// - Returns: the number of the question.
  mutating func add(_ run: ToolRun, _ kind: Question.Kind) -> Int {
    last += 1
    questions[last] = Question(run: run, kind: kind)
    questions[last - Self.most] = nil
    return last
  }

  /// The question with a number, which has been answered.
  mutating func take(_ number: Int) -> Question? { questions.removeValue(forKey: number) }

  mutating func restore(_ question: Question, as number: Int) { questions[number] = question }
}

/// A call of the tool `run`, or of the tool of a command.
struct ToolRun {
  let command: String
  /// The values of its parameters.
  var input: [(String, JSONValue)]
  var wait = ToolWait.usual
  var waitsUntilEnabled = false
  var isDetached = false

  init(_ command: String, input: JSONValue) {
    self.command = command
    if case .object(let fields) = input { self.input = fields } else { self.input = [] }
  }

  /// - Throws: `ToolProblem`.
  init(_ arguments: ToolArguments) throws(ToolProblem) {
    self.init(arguments.text("command") ?? "", input: arguments["input"] ?? .object([]))
    wait = try arguments.wait(otherwise: ToolWait.usual.seconds)
    waitsUntilEnabled = arguments.flag("when_enabled")
    isDetached = arguments.flag("detach")
  }

  /// True if the other one executes the same.
  func isSame(as other: ToolRun) -> Bool {
    command == other.command && JSONValue.object(input).text == JSONValue.object(other.input).text
  }
}
