import LuaRuntime
import Platform

/// Parameters that the text of a definition names in a form that nothing replaces there: `{{name}}`
/// anywhere, `$(name)` in a line, and `$name` where no shell reads it, as in a list of words.
///
/// Only patterns of files are certain. Other texts may be meant for a program that reads such forms, so
/// that words that look like code are left out.
extension ScriptCommand {
  /// The problem of each such field of patterns.
  var problemsWithParameters: [String] {
    let rules = description.upToDate
    let fields = [
      ("sources", rules?.sources), ("outputs", rules?.outputs), ("depfile", rules?.depfiles),
    ]
    return fields.compactMap { field, files in
      guard case .patterns(let patterns)? = files,
        let reference = patterns.flatMap({ parameters.references(in: $0.exactBytes) }).first
      else { return nil }
      return "field '\(field)' has '\(reference.written)', which nothing replaces: "
        + "\(field) = function(input) return … end gets its value"
    }
  }

  /// A sentence about each such step and field.
  var notesOnParameters: [String] {
    guard !parameters.isEmpty else { return [] }
    let steps = placedSteps.compactMap { place, step -> String? in
      switch step {
      // Another language has other forms.
      case .function, .script: nil
      case .line(let line): note(onLine: line, place)
      case .program(let words): note(onWords: words, place)
      case .command(let need): note(onInputOf: need, place, "a function in 'steps'")
      }
    }
    let needs = listedNeeds.compactMap {
      note(onInputOf: $0, "field 'needs'", "needs = function(input) return … end")
    }
    let variables = description.environment.variables.compactMap { name, value -> String? in
      // Templates of Go are texts for other programs.
      guard let value, let reference = reference(inWord: value), !reference.isDotted else {
        return nil
      }
      return "field 'env' has '\(reference.written)' in '\(name)', which nothing replaces: "
        + "each process has the value as \"$\(reference.parameter.variable)\""
    }
    return steps + needs + variables + parameters.compactMap(noteOnReplacement)
  }

  /// Variables that a shell and many programs read for themselves.
  private static let neededVariables: Set = [
    "BASH_ENV", "ENV", "HOME", "IFS", "LD_LIBRARY_PATH", "LD_PRELOAD", "LOGNAME", "PATH", "PWD",
    "SHELL", "USER",
  ]

  private func noteOnReplacement(by parameter: Parameter) -> String? {
    guard Self.neededVariables.contains(parameter.variable), description.adoptedFile == nil else {
      return nil
    }
    return
      "parameter '\(parameter.name)' replaces the variable '\(parameter.variable)', which programs "
      + "need, in its processes: give it another name"
  }

  private func note(onLine line: [UInt8], _ place: String) -> String? {
    guard description.environment.shell?.isPOSIX != false,
      let text = ShellScript.withoutQuotedTexts(line)
    else { return nil }
    let found = parameters.references(in: text).first { reference in
      switch reference.form {
      case .braced:
        !reference.isDotted || !Self.takesTemplate(text[..<reference.range.lowerBound])
      case .called: isMissing(reference.parameter.name, in: String(exactly: text))
      case .enclosed, .variable: false
      }
    }
    return found.map { reference in
      "\(place) has '\(reference.written)', which "
        + (reference.form == .called ? "executes a program of that name: " : "nothing replaces: ")
        + (reference.parameter.isRest
          ? "its words are \"$@\""
          : "its value is the variable \"$\(reference.parameter.variable)\"")
    }
  }

  /// True if a line cannot execute a program or a function of a name.
  private func isMissing(_ name: String, in line: String) -> Bool {
    let words = line.split { $0.isWhitespace || ";&|(){}".contains($0) }
    // The name is once that of the call.
    return words.count { $0 == name } == 1
      && !words.contains { [".", "alias", "source"].contains($0) || $0.contains("PATH=") }
      && findsProgram(name) == false
  }

  /// A sentence about a parameter that a list of words names; nil if there is none.
  func note(onWords words: [[UInt8]], _ place: String) -> String? {
    let texts = words.map { String(exactly: $0) }
    guard !texts.contains(where: Self.readsReferences) else { return nil }
    for (index, word) in words.enumerated() {
      guard let reference = reference(inWord: word),
        !reference.parameter.isRest || reference.form == .braced,
        reference.form != .braced
          || !(index > 0 && Self.takesTemplate(texts[index - 1])
            || Self.takesTemplate(word[..<reference.range.lowerBound]))
      else { continue }
      return "\(place) has '\(reference.written)' in word \(index + 1), which no shell reads: "
        + (reference.parameter.isRest
          ? "a list in 'run' gets its words at its end, a line has them in \"$@\""
          : advice(toWriteAsLine: words))
    }
    return nil
  }

  private func note(onInputOf need: Need, _ place: String, _ remedy: String) -> String? {
    for (name, value) in need.input {
      guard case .string(let text) = value, let reference = reference(inWord: Array(text.bytes))
      else { continue }
      return "\(place) has '\(reference.written)' in '\(name)' of '\(need.written)', which nothing "
        + "replaces: \(remedy) gets its value"
    }
    return nil
  }

  /// The first parameter that a word names; nil if there is none, or if the word may be code.
  private func reference(inWord word: [UInt8]) -> ParameterReference? {
    let references = parameters.references(in: word)
    guard let last = references.last else { return nil }
    var position = 0
    for reference in references {
      guard word[position..<reference.range.lowerBound].isPlain else { return nil }
      position = reference.range.upperBound
    }
    return word[last.range.upperBound...].isPlain ? references.first : nil
  }

  /// True for a program that gives its words to a shell, or reads such forms itself, and for an option
  /// behind which code follows.
  private static func readsReferences(_ word: String) -> Bool {
    let readers: Set = [
      "ack", "ag", "ash", "awk", "bash", "busybox", "dash", "docker", "egrep", "env", "envsubst",
      "eval", "expect", "fgrep", "find", "fish", "gawk", "gdb", "grep", "hyperfine", "jq",
      "ksh", "kubectl", "make", "mawk", "nix", "node", "nu", "parallel", "perl", "php", "podman",
      "psql", "pwsh", "python", "python3", "rg", "ruby", "screen", "sed", "sh", "sqlite3", "ssh",
      "su", "systemd-run", "tclsh", "tmux", "watch", "xargs", "yq", "zsh",
      "-S", "-c", "-e", "-ec", "-lc", "--eval", "--exec", "-exec",
    ]
    return readers.contains(word.split(separator: "/").last.map(String.init) ?? "")
  }

  /// True if a text has such an option, with its value behind it or in the same word.
  private static func takesTemplate(_ text: ArraySlice<UInt8>) -> Bool {
    text.split { " \t\n\"=".utf8.contains($0) }
      .contains { takesTemplate(String(decoding: $0, as: UTF8.self)) }
  }

  /// True for an option behind which a template follows.
  private static func takesTemplate(_ word: String) -> Bool {
    ["-T", "-f", "-t", "--body", "--format", "--template"].contains(word)
  }
}

extension ArraySlice<UInt8> {
  /// True if it has only characters of names, paths and numbers.
  fileprivate var isPlain: Bool {
    allSatisfy { $0.isOfVariableName || $0 >= 0x80 || "-./:=@%+,~".utf8.contains($0) }
  }
}
