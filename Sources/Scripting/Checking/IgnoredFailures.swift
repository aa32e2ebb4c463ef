import LuaRuntime
import Platform

/// Lines of a text whose failures `sh -e` ignores, so that the lines behind them are executed: a command
/// behind `!`, and one before `&&`.
extension ScriptCommand {
  /// The problem of each such line that is not the last one of its text.
  var problemsWithFailures: [String] {
    placedSteps.flatMap { place, step -> [String] in
      guard case .line(let line) = step, description.environment.shell?.stopsAtFailure != false,
        let lists = ShellScript(String(exactly: LazyText.shown(line))).lists,
        !lists.contains(where: { $0.words.first == "set" })
      else { return [] }
      let functions = lists.filter { $0.words.dropFirst().first == "(" }.compactMap(\.words.first)
      return lists.dropLast().compactMap { list in
        guard !functions.contains(list.words[0]) else { return nil }
        return list.problem.map { "line \(list.line) of \(place) \($0)" }
      }
    }
  }
}

extension ShellScript.List {
  /// What is ignored, as the end of a sentence about the line; nil if nothing is, or if it is a condition
  /// on purpose.
  fileprivate var problem: String? {
    if words.first == "!" {
      guard !words.contains("||"), !words.contains("&&"), words.count > 1 else { return nil }
      let command = words.dropFirst().joined(separator: " ")
      return "never ends the text, whatever '\(command)' does, because of its '!': "
        + "write \(LuaLiteral.text("if \(command); then exit 1; fi"))"
    }
    guard let first = words.firstIndex(of: "&&"), !words.contains("||"),
      !Self.isCondition(Array(words[..<first])),
      let last = words.lastIndex(of: "&&").map({ words[($0 + 1)...] }),
      !["exit", "return", "true", ":"].contains(last.first ?? "")
    else { return nil }
    let command = words[..<first].joined(separator: " ")
    return "does not end the text if '\(command)' fails, because of the '&&' behind it: write the "
      + "commands on lines of their own, or '|| exit 1' behind them"
  }

  /// True if a command is executed to find something out.
  private static func isCondition(_ words: [String]) -> Bool {
    let tests: Set = [
      "!", "[", "[[", "cmp", "command", "diff", "false", "getent", "grep", "hash", "id", "if",
      "pgrep", "test", "true", "type", "which", "for", "while", "until", "select", "{", "(",
    ]
    guard let first = words.first, !first.hasPrefix("$"), !first.hasPrefix("\"$") else {
      return true
    }
    return tests.contains(first)
      || words.contains { $0.contains("/dev/null") || $0 == "-q" || $0 == "--quiet" }
  }
}

extension Shell {
  /// True if its options make it stop at a command that fails.
  fileprivate var stopsAtFailure: Bool {
    words.dropFirst().contains { word in
      word.first == UInt8(ascii: "-") && word.dropFirst().first != UInt8(ascii: "-")
        && word.contains(UInt8(ascii: "e"))
    }
  }
}
