/// A recipe of another tool's file, as that tool lists it, and the words that execute it there.
struct AdoptedRecipe: Sendable {
  var name: String
  /// The documentation in one line.
  var summary: String?
  var group: String?
  var isPrivate = false
  var aliases: [String] = []
  var parameters: [AdoptedParameter] = []
  /// The program and its words before the values of the parameters.
  var words: [String]
  /// Words between those and the values of parameters, only if there are such values.
  var separator: String?
  /// True if it asks something, so that its processes need the terminal.
  var isInteractive = false
  /// The line of the file that defines it, from 1; nil if the format does not give it.
  var line: Int?
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

  /// Returns the words for values by name. Words at the end that are defaults are left to the tool.
  func words(value: (String) -> [UInt8]?, rest: [[UInt8]]) -> [[UInt8]] {
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
      case .word:
        guard let given else { continue }
        words.append(given)
        if given != parameter.defaultText.map({ Array($0.utf8) }) { needed = words.count }
      }
    }
    if rest.isEmpty { words.removeLast(words.count - needed) }
    let all = options + words + rest
    return all.isEmpty ? [] : (separator.map { [Array($0.utf8)] } ?? []) + all
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
      case .option, .flag: break
      }
    }
    return nil
  }
}
