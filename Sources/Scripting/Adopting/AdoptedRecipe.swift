/// A recipe of another tool's file, as that tool lists it, and the words that execute it there.
struct AdoptedRecipe: Sendable {
  var name: String
  /// The documentation in one line.
  var summary: String?
  /// More documentation, of several lines.
  var details: String?
  var group: String?
  var isPrivate = false
  var aliases: [String] = []
  var parameters: [AdoptedParameter] = []
  /// The program and its words before the values of the parameters.
  var words: [String]
  /// Words between those and the values of parameters, only if there are such values.
  var separator: String?
  /// True if the tool takes words `NAME=value` before the separator, as values of variables.
  var takesVariables = false
  /// True if it asks something, so that its processes need the terminal.
  var isInteractive = false
  /// What it asks before it begins, where its words keep the tool from asking the same.
  var question: String?
  /// The line of the file that defines it, from 1; nil if the format does not give it.
  var line: Int?
  /// The path of the file that defines it, from the folder of the one that was taken in; nil for that.
  var file: String?
  /// True if its execution goes on until somebody ends it.
  var isService = false
  /// The line for the shell that succeeds once such a service is ready.
  var readyLine: String?
  /// The names of the recipes that it needs, where the tool leaves them to us.
  var needs: [String] = []
}

/// A parameter of such a recipe.
struct AdoptedParameter: Sendable {
  /// The form of its value among the words of the recipe.
  enum Form: Sendable, Equatable {
    /// A word of its own, in order.
    case word
    /// Behind this option: `--name` or `-n`.
    case option(String)
    /// This option alone, if it is true.
    case flag(String)
    /// `NAME=value`.
    case variable
    /// All words that remain.
    case rest
  }

  var name: String
  var form = Form.word
  var isRequired = false
  /// The default, if it is a plain text; the tool computes any other itself.
  var defaultText: String?
  var choices: [String] = []
  var help: String?
}

/// The values of parameters as words of another tool's command line.
struct AdoptedArguments: Sendable {
  let parameters: [AdoptedParameter]
  let separator: String?
  let takesVariables: Bool

  init(of recipe: AdoptedRecipe) {
    parameters = recipe.parameters
    separator = recipe.separator
    takesVariables = recipe.takesVariables
  }

  /// Returns the words for values by name. Words at the end that are defaults are left to the tool.
  func words(value: (String) -> [UInt8]?, rest: [[UInt8]]) -> [[UInt8]] {
    var variables: [[UInt8]] = []
    var options: [[UInt8]] = []
    var words: [[UInt8]] = []
    var needed = 0
    for parameter in parameters {
      let given = value(parameter.name)
      switch parameter.form {
      case .rest: break
      case .flag(let flag): if let given, !given.isEmpty { options.append(Array(flag.utf8)) }
      case .option(let option):
        guard let given, given != parameter.defaultText.map({ Array($0.utf8) }) else { continue }
        options += [Array(option.utf8), given]
      case .variable:
        if let given { variables.append(Array("\(parameter.name)=".utf8) + given) }
      case .word:
        guard let given else { continue }
        words.append(given)
        if given != parameter.defaultText.map({ Array($0.utf8) }) { needed = words.count }
      }
    }
    if rest.isEmpty { words.removeLast(words.count - needed) }
    var rest = rest[...]
    if takesVariables {
      while let word = rest.first, Self.isVariable(word) { variables.append(rest.removeFirst()) }
      if !variables.isEmpty, rest.first == Array("--".utf8) { rest.removeFirst() }
    }
    let behind = options + words + rest
    guard !behind.isEmpty, let separator else { return variables + behind }
    return variables + [Array(separator.utf8)] + behind
  }

  /// True for `NAME=value`.
  private static func isVariable(_ word: [UInt8]) -> Bool {
    guard let end = word.firstIndex(of: UInt8(ascii: "=")), end > 0 else { return false }
    return String(decoding: word[..<end], as: UTF8.self).isParameterName
  }

  /// Returns the parameter whose place is empty though a later one has a value that is not its default;
  /// nil if there is none.
  func gap(value: (String) -> [UInt8]?, hasRest: Bool) -> (missing: String, given: String)? {
    var missing: String?
    for parameter in parameters {
      switch parameter.form {
      case .word:
        guard let given = value(parameter.name) else {
          if missing == nil { missing = parameter.name }
          continue
        }
        if let missing, given != parameter.defaultText.map({ Array($0.utf8) }) {
          return (missing, parameter.name)
        }
      case .rest: if let missing, hasRest { return (missing, parameter.name) }
      case .option, .flag, .variable: break
      }
    }
    return nil
  }
}
