import EventLoop
import LuaRuntime
import Platform

/// Words that mean something to a shell only.
enum ListedWords {
  private static let operators: Set = [
    ">", ">>", "<", "<<<", "|", "&&", "||", ";", "&", "2>", "2>>", "&>",
  ]
  /// Operators behind which no word has to follow.
  private static let endings: Set = ["2>&1", ">&2", "1>&2"]
  /// Programs that take such words as arguments, or give their words to a shell.
  private static let takers: Set = [
    "[", "adb", "ansible", "ash", "awk", "bash", "bc", "busybox", "column", "cut", "dash", "dc",
    "docker", "egrep", "env", "expr", "fgrep", "find", "fish", "fzf", "git", "grep", "gum", "join",
    "jq", "kubectl", "mysql", "node", "nu", "parallel", "paste", "perl", "php", "podman", "printf",
    "psql", "python", "python3", "rg", "rsync", "ruby", "scp", "screen", "script", "sed", "sh",
    "sort", "sqlite3", "ssh", "su", "test", "tmux", "tr", "vagrant", "watch", "xargs", "yq", "zsh",
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

  /// Returns the position of the only word that is probably meant for a shell; nil if there is none, or
  /// if a program of the list may take it.
  static func operatorPosition(in words: [String]) -> Int? {
    let found = words.indices.filter {
      operators.contains(words[$0]) || endings.contains(words[$0])
    }
    guard found.count == 1, let position = found.first, position > 0,
      position + 1 < words.count || endings.contains(words[position]),
      !words[..<position].contains(where: isTaker),
      !delimiterOptions.contains(words[position - 1])
    else { return nil }
    return position
  }

  /// Returns the position of the first word that begins with the home folder; nil if there is none, or
  /// if a program of the list may read it.
  static func homePosition(in words: [String]) -> Int? {
    words.contains(where: isTaker) ? nil : words.firstIndex { $0.hasPrefix("~/") }
  }

  /// True if a text in a word cannot be meant for a shell. A shell would read patterns of files, variables
  /// and operators; programs and `echo` of some shells read backslashes.
  static func isPlain(_ text: String) -> Bool {
    let isOperator = text.drop { $0.isNumber }.first.map { "<>|&;".contains($0) } ?? false
    let isHome = text.hasPrefix("~") || text.contains("=~") || text.contains(":~")
    return text != "!" && !isOperator && !isHome && !(text.last.map { ";&|".contains($0) } ?? false)
      && !text.contains { "*?[$`\\".contains($0) }
  }

  private static func isTaker(_ word: String) -> Bool {
    takers.contains(word.split(separator: "/").last.map(String.init) ?? "")
  }

  /// The end of a message about a list whose first word is no program; nil if nothing else was probably
  /// meant.
  static func hint(atList words: [String]) -> String? {
    guard let first = words.first else { return nil }
    if first == "cd" {
      let isPath =
        words.count == 2 && words[1] != "-" && !words[1].contains { "$~{*`".contains($0) }
      return "it is a command of the shell, and changes the folder of that shell only; "
        + (isPath ? "cwd = \(LuaLiteral.text(words[1], limit: .max))" : "cwd")
        + " sets that of the command"
    }
    if builtins.contains(first) { return "it is a command of the shell, which a line can have" }
    if let (name, value) = first.cut(atFirst: "="), !name.isEmpty,
      name.utf8.allSatisfy(\.isOfVariableName), name.first?.isNumber == false
    {
      let text = LuaLiteral.text(String(value), limit: .max)
      return "a list cannot set variables; env = {\(name) = \(text)} does"
    }
    return first.contains(where: \.isWhitespace)
      ? "a list is one program with its words; a line is one text, in 'run', in 'steps' or for rac.sh"
      : nil
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

  /// The problem of each list whose program cannot exist.
  var problemsWithWords: [String] {
    placedSteps.compactMap { place, step in
      guard case .program(let list) = step, !LazyText.isMarked(list[0]) else { return nil }
      let words = list.map { String(exactly: LazyText.shown($0)) }
      guard findsProgram(words[0]) == false, let hint = ListedWords.hint(atList: words),
        // Something may make a program in a folder with a blank in its name.
        !words[0].contains("/")
          || findsProgram(String(words[0].prefix { !$0.isWhitespace })) == true
      else { return nil }
      return "\(place) names the program '\(words[0])', which does not exist: \(hint)"
    }
  }

  /// A sentence about each step with a word that is probably meant for a shell, or a line that is
  /// probably meant as a command of the file.
  var notesOnWords: [String] {
    placedSteps.compactMap { place, step in
      switch step {
      // Its parameters lead to the same advice.
      case .program(let words):
        note(onWords: words, place) == nil ? note(onList: words, place) : nil
      case .line(let line): note(onLine: line, place)
      case .script, .function, .command: nil
      }
    }
  }

  private func note(onList list: [[UInt8]], _ place: String) -> String? {
    let words = list.map { String(exactly: LazyText.shown($0)) }
    let found = ListedWords.operatorPosition(in: words)
    return (found ?? ListedWords.homePosition(in: words)).map { position in
      "\(place) has '\(words[position])' in word \(position + 1), which no shell reads: "
        + advice(toWriteAsLine: list)
    }
  }

  /// A line that consists of the name of another command.
  private func note(onLine line: [UInt8], _ place: String) -> String? {
    let words = String(exactly: line).split(whereSeparator: \.isWhitespace).map(String.init)
    guard words.count == 1, description.environment.shell?.isPOSIX != false else { return nil }
    let full = SourceScope.referred(words[0], in: description.namespace)
    guard let other = host.command(named: full), other !== self,
      // Without arguments it does nothing.
      words[0] == "test" || findsProgram(words[0]) == false
    else { return nil }
    let call = "{command = \(LuaLiteral.text(words[0], limit: .max))}"
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
