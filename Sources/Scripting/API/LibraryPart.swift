/// The functions of `rac` and of the tables inside it, by the lists that describe them.
///
/// A start makes Lua functions of the names alone, for making the descriptions takes longer than the
/// rest of it. A function's list is made when the first of its functions is called.
enum LibraryPart: Int, CaseIterable {
  case construction, starting, combination, choices, subjects, commandFunctions, including
  case adopting, lazy, system
  case files, fileQuestions, probes, time, testTime, questions, log, json

  /// The table that they are in.
  var path: String {
    switch self {
    case .log: "rac.log"
    case .json: "rac.json"
    default: "rac"
    }
  }

  /// The names of the functions, in the order of the list.
  var names: StaticString {
    switch self {
    case .construction: "create just empty never error from range defer try interval timer async"
    case .starting: "start_eagerly start_lazily"
    case .combination: "merge concat combine_latest zip tuple"
    case .choices: "when switch"
    case .subjects: "subject replay_subject behavior_subject"
    case .commandFunctions: "command defaults"
    case .including: "include"
    case .adopting: "adopt"
    case .lazy: "lazy"
    case .system: "exec sh"
    case .files: "watch file_exists stdin"
    case .fileQuestions: "glob stat digest which"
    case .probes: "tcp http port"
    case .time: "sleep now"
    case .testTime: "test_scheduler"
    case .questions: "is_signal is_command stats"
    case .log: "debug info warn error"
    case .json: "encode decode"
    }
  }

  var functions: [APIFunction] {
    switch self {
    case .construction: Library.construction
    case .starting: Library.starting
    case .combination: Library.combination
    case .choices: Library.choices
    case .subjects: Library.subjects
    case .commandFunctions: Library.commandFunctions
    case .including: Library.including
    case .adopting: Library.adopting
    case .lazy: Library.lazyFunctions
    case .system: Library.system
    case .files: Library.files
    case .fileQuestions: Library.fileQuestions
    case .probes: Library.probes
    case .time: Library.time
    case .testTime: Library.testTime
    case .questions: Library.questions
    case .log: Library.logFunctions
    case .json: Library.json
    }
  }

  /// The most functions that a list may have.
  private static let room = 64

  /// The number of the first function as a late function of the interpreter.
  var firstNumber: Int { rawValue * Self.room }

  /// The function in Swift with a number, and the path of the table it is in; nil if there is none.
  static func function(_ number: Int) -> (path: String, function: APIFunction)? {
    guard number >= 0, let part = LibraryPart(rawValue: number / room) else { return nil }
    let functions = part.functions
    let index = number % room
    guard index < functions.count, case .body = functions[index].implementation else { return nil }
    return (part.path, functions[index])
  }
}
