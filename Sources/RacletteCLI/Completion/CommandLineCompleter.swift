import Platform
import RunnerCore
import Scripting

/// Completes the word at the cursor on a command line of the runner: the single implementation for
/// all shells.
struct CommandLineCompleter {
  /// A word and its description.
  struct Candidate: Equatable {
    let word: String
    var meaning = ""
  }

  enum Answer: Equatable {
    case candidates([Candidate])
    /// File names, which the shell itself completes best.
    case files
    case folders
  }

  /// The words before the one at the cursor.
  private let before: [String]
  /// The typed part of the word at the cursor.
  private let current: String
  /// The commands of the file that the preceding words select.
  private let commands: ([String]) -> [CommandShape]

  /// - Parameter commands: loads the command file that options among the words name, or the nearest
  ///   one.
  init(_ words: [String], commands: @escaping ([String]) -> [CommandShape]) {
    before = Array(words.dropLast())
    current = words.last ?? ""
    self.commands = commands
  }

  var answer: Answer {
    let outer = scan(before[...], known: Option.beforeVerb)
    if let pending = outer.pending { return values(of: pending) }
    guard let verb = outer.words.first else {
      if current.hasPrefix("-") { return options(Option.beforeVerb) }
      let commands = commands(before)
      let verbs = self.subcommands(beside: commands)
      let found = names(commands)
      return verbs.isEmpty && found.isEmpty ? .files : .candidates(found + verbs)
    }
    guard let subcommand = subcommand(meantBy: verb, outer.words) else { return call(outer.words) }
    let known = subcommand.options + Option.common
    let inner = scan(outer.words.dropFirst(), known: known, stopsAtWord: subcommand.passesArguments)
    if let pending = inner.pending { return values(of: pending) }
    if current.hasPrefix("-"), inner.words.isEmpty || !subcommand.passesArguments {
      return options(known)
    }
    return arguments(of: subcommand, inner.words)
  }

  /// The subcommands with which the word may go on: with the colon that makes them unmistakable, or
  /// as a word that has been begun and that no command has.
  private func subcommands(beside commands: [CommandShape]) -> [Candidate] {
    let hasColon = current.isEmpty || current.hasPrefix(":")
    return matching(
      Subcommand.all.filter { subcommand in
        let word = hasColon ? subcommand.spelling : subcommand.name
        return !commands.contains { $0.has(name: word) }
      }.map { Candidate(word: hasColon ? $0.spelling : $0.name, meaning: $0.summary) })
  }

  /// The subcommand that a first word means; nil if it means a command.
  private func subcommand(meantBy verb: String, _ words: ArraySlice<String>) -> Subcommand? {
    let own = Subcommand.ownName(verb)
    guard let subcommand = Subcommand.all.first(where: { $0.name == own ?? verb }) else {
      return nil
    }
    guard own == nil, subcommand.name != Subcommand.run.name else { return subcommand }
    return commands(before).contains { $0.has(name: verb) } ? nil : subcommand
  }

  // MARK: Options

  /// The words that are not options, and an option that still needs its value.
  private struct Scan {
    var words: ArraySlice<String> = []
    var pending: Option?
  }

  private func scan(
    _ words: ArraySlice<String>, known: [Option], stopsAtWord: Bool = true
  ) -> Scan {
    var scan = Scan()
    var rest = words
    while let word = rest.first {
      rest = rest.dropFirst()
      guard word.hasPrefix("-"), word != "-" else {
        scan.words.append(word)
        if stopsAtWord {
          scan.words += rest
          return scan
        }
        continue
      }
      guard !word.contains("="),
        let option = known.first(where: {
          "--\($0.long)" == word || $0.short.map { "-\($0)" } == word
        }), option.value != nil, option.form != .paths
      else { continue }
      if rest.isEmpty { scan.pending = option }
      rest = rest.dropFirst()
    }
    return scan
  }

  private func options(_ known: [Option]) -> Answer {
    if let equals = current.firstIndex(of: "=") {
      let name = current[..<equals]
      guard
        let option = known.first(where: {
          "--\($0.long)" == name || $0.short.map { "-\($0)" } == name
        })
      else {
        return .candidates([])
      }
      switch option.form {
      case .file, .paths: return .files
      case .folder: return .folders
      default: break
      }
      let words = option.form.choices.map { Candidate(word: "\(name)=\($0)") }
      return .candidates(matching(words))
    }
    return .candidates(
      matching(known.map { Candidate(word: "--\($0.long)", meaning: $0.help) }))
  }

  private func values(of option: Option) -> Answer {
    switch option.form {
    case .choices(let choices): .candidates(matching(choices.map { Candidate(word: $0) }))
    case .file, .paths: .files
    case .folder: .folders
    case .any, .count, .number, .duration, .size: .candidates([])
    }
  }

  // MARK: Arguments

  private func arguments(of subcommand: Subcommand, _ words: ArraySlice<String>) -> Answer {
    switch subcommand.completion {
    case .nothing: return .candidates([])
    case .files: return .files
    case .subcommands:
      let topics =
        Subcommand.all.map { Candidate(word: $0.name, meaning: $0.summary) }
        + HelpTopic.all.map { Candidate(word: $0.name, meaning: $0.summary) }
      let found = names(commands(before))
      return .candidates(
        found + matching(topics).filter { one in !found.contains { $0.word == one.word } })
    case .words(let words): return .candidates(matching(words.map { Candidate(word: $0) }))
    case .command:
      return words.isEmpty ? .candidates(names(commands(before))) : .candidates([])
    case .services:
      return .candidates(names(services.filter { !words.contains($0.name) }))
    case .calls: return call(words)
    }
  }

  private static let separators = [
    Candidate(word: CallWords.inOrder, meaning: "then"),
    Candidate(word: CallWords.sideBySide, meaning: "side by side"),
  ]

  private var services: [CommandShape] { commands(before).filter(\.isService) }

  private func names(_ commands: [CommandShape]) -> [Candidate] {
    matching(
      commands.filter { !$0.isPrivate }.flatMap { command in
        ([command.name] + command.aliases).map {
          Candidate(word: $0, meaning: command.summary ?? "")
        }
      })
  }

  private func call(_ words: ArraySlice<String>) -> Answer {
    let commands = commands(before)
    let named = { (name: String) in
      commands.first { $0.name == name || $0.aliases.contains(name) }
    }
    let call = CallWords(Array(words)) { named($0).map { !$0.takesNoArguments } }.calls.last ?? []
    guard let name = call.first else { return .candidates(names(commands)) }
    guard let command = named(name) else { return .files }
    let given = call.dropFirst()
    if command.hasRestBegun(given) { return .files }
    if let last = given.last, last.hasPrefix("--"), !last.contains("="),
      let parameter = command.parameters.first(where: { "--\($0.name)" == last }),
      parameter.kind != .boolean
    {
      return values(of: parameter, prefix: "")
    }
    if let equals = current.firstIndex(of: "=") {
      let name = current[..<equals].drop { $0 == "-" }
      guard let parameter = command.parameters.first(where: { $0.name == name }) else {
        return .files
      }
      return values(of: parameter, prefix: String(current[...equals]))
    }
    if current.hasPrefix("-") { return .candidates(parameters(of: command, given)) }
    if command.takesNoArguments, given.isEmpty {
      return .candidates(names(commands) + matching(Self.separators))
    }
    let answer = nextPositional(of: command, given).map { values(of: $0, prefix: "") } ?? .files
    if answer == .candidates([]) { return .files }
    return answer
  }

  /// The parameter that a word without a name would set.
  private func nextPositional(
    of command: CommandShape, _ given: ArraySlice<String>
  ) -> Parameter? {
    var free = command.parameters.filter { !$0.isRest }
    var rest = given
    while let word = rest.popFirst() {
      let name = word.drop { $0 == "-" }.prefix { $0 != "=" }
      guard let index = free.firstIndex(where: { $0.name == name }),
        word.hasPrefix("--") || word.contains("=")
      else {
        if !free.isEmpty, !word.hasPrefix("--") { free.removeFirst() }
        continue
      }
      let parameter = free.remove(at: index)
      if !word.contains("="), parameter.kind != .boolean { rest = rest.dropFirst() }
    }
    return free.first
  }

  private func parameters(
    of command: CommandShape, _ given: ArraySlice<String>
  ) -> [Candidate] {
    let free = command.parameters.filter { parameter in
      !parameter.isRest
        && !given.contains { $0 == "--\(parameter.name)" || $0.hasPrefix("--\(parameter.name)=") }
    }
    return matching(
      free.map { Candidate(word: "--\($0.name)", meaning: $0.help ?? $0.kind.rawValue) }
        + [Candidate(word: "--help", meaning: "print the command's help")])
  }

  private func values(of parameter: Parameter, prefix: String) -> Answer {
    let words = parameter.kind == .boolean ? ["true", "false"] : parameter.choices
    guard !words.isEmpty else { return parameter.kind == .string ? .files : .candidates([]) }
    return .candidates(matching(words.map { Candidate(word: prefix + $0) }))
  }

  private func matching(_ candidates: [Candidate]) -> [Candidate] {
    candidates.filter { $0.word.hasPrefix(current) }
  }
}

/// The properties of a command that completion uses.
struct CommandShape {
  let name: String
  let aliases: [String]
  let summary: String?
  let isPrivate: Bool
  let isService: Bool
  let parameters: [Parameter]
  let takesNoArguments: Bool

  init(_ command: ScriptCommand) {
    name = command.name
    aliases = command.aliases
    summary = command.summary
    isPrivate = command.isPrivate
    isService = command.isService
    parameters = command.parameters
    takesNoArguments = command.takesNoArguments
  }

  func has(name: String) -> Bool { self.name == name || aliases.contains(name) }

  /// True if the words after the command's name end with such that its rest parameter takes.
  func hasRestBegun(_ words: ArraySlice<String>) -> Bool {
    parameters.ownWordCount(of: Array(words)) < words.count
  }
}
