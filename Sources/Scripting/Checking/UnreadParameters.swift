import LuaRuntime
import Platform

/// Parameters that the text of a definition names in a form that nothing replaces there: `{{name}}`
/// anywhere, `$(name)` in a line, and `$name` where no shell reads it, as in a list of words.
extension ScriptCommand {
  /// The problem of each such step and field.
  var problemsWithParameters: [String] {
    guard !parameters.isEmpty else { return [] }
    return placedSteps.compactMap { place, step in
      switch step {
      case .function: return nil
      case .line(let line): return problem(inText: line, place)
      case .script(let script): return problem(inText: script.text, place)
      case .program(let words): return problem(inWords: words, place)
      case .command(let need): return problem(inInputOf: need, place, "a function in 'steps'")
      }
    } + problemsWithFields
  }

  private func problem(inText text: [UInt8], _ place: String) -> String? {
    for parameter in parameters {
      // A program of that name may be meant.
      let isCalled = text.names(parameter, .called) && findsProgram(parameter.name) == false
      guard text.names(parameter, .braced) || isCalled else { continue }
      let written = isCalled ? "$(\(parameter.name))" : "{{\(parameter.name)}}"
      return "\(place) has '\(written)', which "
        + (isCalled ? "executes a program of that name: " : "nothing replaces: ")
        + (parameter.isRest
          ? "its words are \"$@\"" : "its value is the variable \"$\(parameter.variable)\"")
    }
    return nil
  }

  private func problem(inWords words: [[UInt8]], _ place: String) -> String? {
    for (position, word) in words.enumerated() {
      guard let (parameter, written) = self.parameter(namedIn: word) else { continue }
      if parameter.isRest, !word.names(parameter, .braced) { continue }
      let start = "\(place) has '\(written)' in word \(position + 1), which no shell reads: "
      guard !parameter.isRest else {
        return start + "a list in 'run' gets its words at its end, a line has them in \"$@\""
      }
      return start + line(of: words)
    }
    return nil
  }

  /// The problems of the fields whose texts are taken as they are.
  private var problemsWithFields: [String] {
    var problems = listedNeeds.compactMap {
      problem(inInputOf: $0, "field 'needs'", "needs = function(input) return … end")
    }
    let rules = description.upToDate
    for (field, files) in [
      ("sources", rules?.sources), ("outputs", rules?.outputs), ("depfile", rules?.depfiles),
    ] {
      guard case .patterns(let patterns)? = files else { continue }
      let named = patterns.compactMap { self.parameter(namedIn: $0.exactBytes)?.written }
      guard let written = named.first else { continue }
      problems.append(
        "field '\(field)' has '\(written)', which nothing replaces: "
          + "\(field) = function(input) return … end gets its value")
    }
    for (name, value) in description.environment.variables {
      guard let value, let (parameter, written) = self.parameter(namedIn: value) else { continue }
      problems.append(
        "field 'env' has '\(written)' in '\(name)', which nothing replaces: "
          + "each process has the value as \"$\(parameter.variable)\"")
    }
    return problems
  }

  private func problem(inInputOf need: Need, _ place: String, _ remedy: String) -> String? {
    for (name, value) in need.input {
      guard case .string(let text) = value, let (_, written) = parameter(namedIn: Array(text.bytes))
      else { continue }
      return "\(place) has '\(written)' in '\(name)' of '\(need.written)', which nothing replaces: "
        + "\(remedy) gets its value"
    }
    return nil
  }

  /// The first parameter that a text names which no shell reads, and how it is written.
  private func parameter(namedIn text: [UInt8]) -> (parameter: Parameter, written: String)? {
    for parameter in parameters {
      if text.names(parameter, .braced) { return (parameter, "{{\(parameter.name)}}") }
      if text.names(parameter, .called) { return (parameter, "$(\(parameter.name))") }
      if text.names(parameter, .variable) { return (parameter, "$\(parameter.variable)") }
    }
    return nil
  }

  /// The advice to write words as a line, and that line.
  func line(of words: [[UInt8]]) -> String {
    let line = words.map { word -> String in
      var text = String(exactly: LazyText.shown(word))
      if ListedWords.isOperator(text) { return text }
      if text.hasPrefix("~/"), text.count > 2 {
        return "~/\(String(text.dropFirst(2)).quotedForShell)"
      }
      let known = text
      for parameter in parameters where !parameter.isRest {
        for form in [
          "{{\(parameter.name)}}", "{{ \(parameter.name) }}", "${\(parameter.variable)}",
          "$(\(parameter.name))",
        ] {
          text = text.replacing(form, with: "$\(parameter.variable)")
        }
      }
      return text != known || word.contains(UInt8(ascii: "$")) ? "\"\(text)\"" : text.quotedForShell
    }.joined(separator: " ")
    return "write a line, \(LuaLiteral.text(line)), or a function with rac.exec"
  }
}

/// How a text names a parameter.
private enum NamingForm {
  /// `{{name}}`, with any blanks.
  case braced
  /// `$(name)`, with any blanks.
  case called
  /// `$name` or `${name}`.
  case variable

  var opening: [UInt8] {
    switch self {
    case .braced: Array("{{".utf8)
    case .called: Array("$(".utf8)
    case .variable: Array("$".utf8)
    }
  }
}

extension [UInt8] {
  /// True if a text names a parameter in a form.
  fileprivate func names(_ parameter: Parameter, _ form: NamingForm) -> Bool {
    let name = (form == .variable ? parameter.variable : parameter.name).exactBytes
    for index in indices where self[index...].starts(with: form.opening) {
      var rest = self[(index + form.opening.count)...]
      if form != .variable {
        rest = rest.drop { $0 == 32 }
        guard rest.starts(with: name) else { continue }
        rest = rest.dropFirst(name.count).drop { $0 == 32 }
        if rest.starts(with: form == .braced ? Array("}}".utf8) : Array(")".utf8)) { return true }
      } else {
        if rest.first == UInt8(ascii: "{") { rest.removeFirst() }
        guard rest.starts(with: name) else { continue }
        guard let next = rest.dropFirst(name.count).first else { return true }
        let isPartOfName =
          next == UInt8(ascii: "_") || (48...57).contains(next) || (97...122).contains(next | 0x20)
        if !isPartOfName { return true }
      }
    }
    return false
  }
}
