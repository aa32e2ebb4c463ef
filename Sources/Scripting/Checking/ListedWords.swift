import EventLoop
import LuaRuntime
import Platform

/// Words that mean something to a shell only.
enum ListedWords {
  private static let operators: Set = [
    ">", ">>", "<", "<<<", "|", "&&", "||", ";", "&", "2>", "2>>", "&>", "2>&1", ">&2", "1>&2",
  ]
  /// Programs that take such words as arguments.
  private static let takers: Set = [
    "[", "awk", "column", "cut", "egrep", "expr", "fgrep", "find", "grep", "join", "jq", "paste",
    "rg", "sed", "sort", "test", "tr",
  ]
  /// Options whose value such a word may be.
  private static let delimiterOptions: Set = [
    "-d", "-e", "-F", "-s", "-t", "--delimiter", "--field-separator", "--separator",
  ]
  /// Commands of the shell that are no programs.
  private static let builtins: Set = [
    ".", "alias", "cd", "eval", "exec", "exit", "export", "read", "set", "shift", "source", "trap",
    "ulimit", "umask", "unset",
  ]

  /// True if a word by itself is an operator of the shell.
  static func isOperator(_ word: String) -> Bool { operators.contains(word) }

  /// True if a command of the shell has this name, and no program is expected to.
  static func isBuiltin(_ word: String) -> Bool { builtins.contains(word) }

  /// Returns the position of the first word that only a shell understands.
  static func position(in words: [String]) -> Int? {
    let program = words.first?.split(separator: "/").last.map(String.init) ?? ""
    return words.indices.first { index in
      if words[index].hasPrefix("~/") { return true }
      guard index > 0, operators.contains(words[index]), !takers.contains(program) else {
        return false
      }
      return !delimiterOptions.contains(words[index - 1])
    }
  }

  /// The end of a message about a list whose first word is no program; nil if nothing else was probably
  /// meant.
  static func hint(atList words: [String], of field: String) -> String? {
    guard let first = words.first else { return nil }
    if first == "cd" {
      let folder = words.count > 1 ? words[1] : "…"
      return "it is a command of the shell, and changes the folder of that shell only; "
        + "cwd = \(LuaLiteral.text(folder)) sets that of the command"
    }
    if isBuiltin(first) { return "it is a command of the shell, which a line can have" }
    guard first.contains(where: \.isWhitespace) else { return nil }
    if field == "rac.exec" {
      return "a list is one program with its words; rac.sh executes a line"
    }
    return words.count == 1
      ? "a list is one program with its words; a line is a text without braces"
      : "a list is one program with its words; several lines go into 'steps'"
  }
}

/// Lists of words that a shell would have to read, and lines that are names of commands.
extension ScriptCommand {
  /// The steps of its work with their places in the definition.
  var placedSteps: [(place: String, step: CommandWork.Step)] {
    // The recipe of another tool is what that tool has.
    guard let work = description.work, work.arguments == nil else { return [] }
    return work.steps.enumerated().map { index, step in
      (work.isList ? "steps[\(index + 1)]" : "field 'run'", step)
    }
  }

  /// The problem of each such step.
  var problemsWithWords: [String] {
    placedSteps.compactMap { place, step in
      switch step {
      case .program(let words): problem(inList: words, place)
      case .line(let line): problem(inLine: line, place)
      case .script, .function, .command: nil
      }
    }
  }

  private func problem(inList list: [[UInt8]], _ place: String) -> String? {
    let words = list.map { String(exactly: LazyText.shown($0)) }
    if !LazyText.isMarked(list[0]), findsProgram(words[0]) == false,
      let hint = ListedWords.hint(atList: words, of: place)
    {
      return "\(place) names the program '\(words[0])', which does not exist: \(hint)"
    }
    return ListedWords.position(in: words).map { position in
      "\(place) has '\(words[position])' in word \(position + 1), which no shell reads: "
        + line(of: list)
    }
  }

  /// A line that consists of the name of another command.
  private func problem(inLine line: [UInt8], _ place: String) -> String? {
    let words = String(exactly: line).split(whereSeparator: \.isWhitespace).map(String.init)
    guard words.count == 1 else { return nil }
    let full = SourceScope.referred(words[0], in: description.namespace)
    guard let other = host.command(named: full), other !== self,
      // Without arguments it does nothing.
      words[0] == "test" || findsProgram(words[0]) == false
    else { return nil }
    let call = "{command = \(LuaLiteral.text(words[0]))}"
    return "\(place) is a line for the shell; the command '\(words[0])' is "
      + (description.work?.isList == true ? call : "steps = {\(call)}")
  }

  /// Returns true if a process of the command would find a program; nil if that is not known.
  func findsProgram(_ name: String) -> Bool? {
    let environment = description.environment
    guard !environment.variables.contains(where: { $0.name == "PATH" }),
      environment.variableFiles.isEmpty, !hasNeeds || !name.contains("/")
    else { return nil }
    return ProgramLookup.path(
      of: name.exactBytes, environment: nil, directory: directory?.exactBytes) != nil
  }
}
