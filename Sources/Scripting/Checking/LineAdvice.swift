import LuaRuntime
import Platform

/// A line in place of a list of words, as it is advised.
extension ScriptCommand {
  /// The advice to write a list of words as a line, with that line if it certainly does what is meant: the
  /// shell reads the values of parameters, the home folder and one operator, and all else as it is.
  func advice(toWriteAsLine words: [[UInt8]]) -> String {
    let texts = words.map { String(exactly: $0) }
    let position = ListedWords.operatorPosition(in: texts)
    let shellWords = words.enumerated().map { index, word -> String? in
      index == position ? texts[index] : shellWord(word)
    }
    guard description.environment.shell == nil, !shellWords.contains(nil),
      // A variable for the program would be read as it is meant, but for its value.
      texts.first?.contains("=") == false
    else { return "write a line, or a function with rac.exec" }
    // A list gets the words of a rest parameter at its end.
    let getsWords = description.work?.isList == false && parameters.contains(where: \.isRest)
    let all = shellWords.compactMap(\.self) + (getsWords ? ["\"$@\""] : [])
    let line = LuaLiteral.text(all.joined(separator: " "), limit: .max)
    return "write a line, \(line), or a function with rac.exec"
  }

  /// The word as a shell has to read it, with the values of the parameters that it names; nil if it may be
  /// meant in several ways.
  private func shellWord(_ word: [UInt8]) -> String? {
    guard !LazyText.isMarked(word) else { return nil }
    let isInHome = word.starts(with: "~/".utf8)
    let word = isInHome ? Array(word.dropFirst(2)) : word
    let references = parameters.references(in: word)
    guard !references.contains(where: \.parameter.isRest) else { return nil }
    var text = ""
    var rest = ""
    var position = 0
    for reference in references {
      let part = String(exactly: Array(word[position..<reference.range.lowerBound]))
      rest += part
      text += part.escapedInQuotes
      position = reference.range.upperBound
      let goesOn = position < word.count && word[position].isOfVariableName
      let name = reference.parameter.variable
      text += goesOn ? "${\(name)}" : "$\(name)"
    }
    let part = String(exactly: Array(word[position...]))
    guard ListedWords.isPlain(rest + part) else { return nil }
    if isInHome, word.isEmpty { return "~/" }
    let quoted = references.isEmpty ? part.quotedForShell : "\"\(text)\(part.escapedInQuotes)\""
    return quoted.hasPrefix("$'") ? nil : (isInHome ? "~/" : "") + quoted
  }
}

extension String {
  /// The text as it is written in the double quotes of a shell.
  fileprivate var escapedInQuotes: String {
    reduce(into: "") { text, character in
      if "\"\\`$".contains(character) { text += "\\" }
      text.append(character)
    }
  }
}
