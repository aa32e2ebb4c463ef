import LuaRuntime
import Platform

/// Lines of a text whose failures `sh -e` ignores, so that the lines behind them are executed: a test
/// behind `!`, and a command before `&&` that the rest relies on. Other commands before `&&` may be
/// conditions.
extension ScriptCommand {
  /// A sentence about each such line that is not the last one of its text.
  var notesOnFailures: [String] {
    placedSteps.flatMap { place, step -> [String] in
      guard case .line(let line) = step, description.environment.shell?.stopsAtFailure != false,
        let lists = ShellScript(String(exactly: LazyText.shown(line))).lists,
        !lists.contains(where: \.ignoresFailures)
      else { return [] }
      return zip(lists, lists.dropFirst()).compactMap { list, next in
        guard !next.readsStatus, !list.isInBackground else { return nil }
        return list.ignoredFailure.map { "line \(list.line) of \(place): \($0)" }
      }
    }
  }
}

extension ShellScript.List {
  /// True if it makes the shell go on after failures.
  fileprivate var ignoresFailures: Bool {
    guard words.first == "set" else { return false }
    return zip(words, words.dropFirst()).contains { option, value in
      (option == "+o" && value == "errexit") || (value.hasPrefix("+") && value.contains("e"))
    }
  }

  /// What is ignored, as a sentence; nil if nothing is, or if it is a condition on purpose.
  fileprivate var ignoredFailure: String? {
    guard !words.contains("||"), !words.contains(where: { $0.contains("/dev/null") }) else {
      return nil
    }
    let parts = words.split(separator: "&&", omittingEmptySubsequences: false).map { Array($0) }
    if words.first == "!" {
      let test = Array(words.dropFirst())
      guard parts.count == 1, Self.isTest(test) else { return nil }
      let command = test.joined(separator: " ")
      return
        "the script continues regardless of the result of '\(command)': '-e' does not apply after "
        + "'!'; write "
        + LuaLiteral.text("if \(command); then exit 1; fi", limit: .max)
    }
    guard let last = parts.last,
      let part = parts.dropLast().first(where: { Self.isReliedOn($0, before: last) })
    else { return nil }
    return
      "the script continues if '\(part.joined(separator: " "))' fails: '-e' does not apply before "
      + "'&&'; write the commands on lines of their own, or '|| exit 1' after them"
  }

  /// True if a pipe ends with a program whose status is an answer.
  private static func isTest(_ words: [String]) -> Bool {
    let tests: Set = ["[", "[[", "cmp", "diff", "egrep", "fgrep", "grep", "rg", "test"]
    return program(of: words).map(tests.contains) ?? false
  }

  /// True if a command before `&&` has an effect without which the rest is wrong.
  private static func isReliedOn(_ words: [String], before last: [String]) -> Bool {
    guard let program = program(of: words) else { return false }
    if ["cd", "mkdir", "pushd"].contains(program) { return true }
    let builders: Set = ["cargo", "cmake", "gradle", "make", "mvn", "ninja"]
    return builders.contains(program) && self.program(of: last).map(builders.contains) == true
      && !words.contains {
        ["-n", "-q", "--dry-run", "--list", "--question", "--version"].contains($0)
      }
  }

  /// The program at the end of a pipe.
  private static func program(of words: [String]) -> String? {
    let command = words.split(separator: "|", omittingEmptySubsequences: false).last ?? []
    return command.first { word in
      !["command", "env", "nice", "sudo", "time"].contains(word) && !word.contains("=")
    }
  }
}
