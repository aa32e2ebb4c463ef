import LuaRuntime
import Platform

/// Parameters that the text of a definition names in a form that nothing replaces there: `{{name}}`
/// anywhere, and `$name` in a list of words, which no shell reads.
extension ScriptCommand {
  /// The problem of each such step.
  var problemsWithWords: [String] {
    guard let work = description.work, !parameters.isEmpty else { return [] }
    return work.steps.enumerated().compactMap { index, step in
      let place = work.isList ? "steps[\(index + 1)]" : "field 'run'"
      switch step {
      case .function, .command: return nil
      case .line(let line): return problem(inText: line, place)
      case .script(let script): return problem(inText: script.text, place)
      case .program(let words): return problem(inWords: words, place)
      }
    }
  }

  private func problem(inText text: [UInt8], _ place: String) -> String? {
    guard let parameter = parameters.first(where: { text.names($0, inBraces: true) }) else {
      return nil
    }
    return "\(place) has '{{\(parameter.name)}}', which nothing replaces: "
      + (parameter.isRest
        ? "its words are \"$@\"" : "its value is the variable \"$\(parameter.variable)\"")
  }

  private func problem(inWords words: [[UInt8]], _ place: String) -> String? {
    for (position, word) in words.enumerated() {
      for parameter in parameters {
        let isBraced = word.names(parameter, inBraces: true)
        guard isBraced || (!parameter.isRest && word.names(parameter, inBraces: false)) else {
          continue
        }
        let written = isBraced ? "{{\(parameter.name)}}" : "$\(parameter.variable)"
        let start = "\(place) has '\(written)' in word \(position + 1), which no shell reads: "
        guard !parameter.isRest else {
          return start + "a list in 'run' gets its words at its end, a line has them in \"$@\""
        }
        return start + line(of: words)
      }
    }
    return nil
  }

  /// The advice to write words as a line, and that line.
  private func line(of words: [[UInt8]]) -> String {
    let line = words.map { word -> String in
      var text = String(exactly: LazyText.shown(word))
      let known = text
      for parameter in parameters where !parameter.isRest {
        for form in [
          "{{\(parameter.name)}}", "{{ \(parameter.name) }}", "${\(parameter.variable)}",
        ] {
          text = text.replacing(form, with: "$\(parameter.variable)")
        }
      }
      return text != known || word.contains(UInt8(ascii: "$")) ? "\"\(text)\"" : text.quotedForShell
    }.joined(separator: " ")
    return "write a line, \(LuaLiteral.text(line)), or a function with rac.exec"
  }
}

extension [UInt8] {
  /// True if a text names a parameter: as `{{name}}` with any blanks, or as `$name` or `${name}`.
  fileprivate func names(_ parameter: Parameter, inBraces: Bool) -> Bool {
    let start = inBraces ? Array("{{".utf8) : [UInt8(ascii: "$")]
    let name = inBraces ? parameter.name.exactBytes : parameter.variable.exactBytes
    for index in indices where self[index...].starts(with: start) {
      var rest = self[(index + start.count)...]
      if inBraces {
        rest = rest.drop { $0 == 32 }
        guard rest.starts(with: name) else { continue }
        rest = rest.dropFirst(name.count).drop { $0 == 32 }
        if rest.starts(with: Array("}}".utf8)) { return true }
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
