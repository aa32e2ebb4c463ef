import Platform

/// The targets of a Makefile, which is read and never evaluated: `make -p` and `make -n` execute
/// `$(shell …)`.
///
/// Targets of the file and of what it includes by a plain name; none of a pattern, of a variable or
/// with a special meaning. Conditionals are read as if both branches counted.
struct Makefile {
  private let file: AdoptedFile

  init(_ file: AdoptedFile) { self.file = file }

  func recipes() throws(AdoptionError) -> [AdoptedRecipe] {
    var reader = MakefileReader(folder: file.folder)
    reader.read(try file.content(), isMain: true)
    let program =
      file.isFound(among: AdoptedFormat.makefile.names)
      ? ["make"] : ["make", "-f", file.name]
    return reader.targets.map { target in
      var recipe = AdoptedRecipe(name: target.name, words: program + [target.name])
      recipe.summary = target.documentation
      recipe.group = target.group
      recipe.line = target.line
      recipe.isPrivate =
        target.name.hasPrefix("_")
        || !reader.phony.contains(target.name) && target.documentation == nil
          && target.name.contains { $0 == "/" || $0 == "." }
      recipe.parameters = [
        AdoptedParameter(
          name: "args", form: .rest, help: "variables and options of make: NAME=value")
      ]
      return recipe
    }
  }
}

private struct MakefileReader {
  struct Target {
    let name: String
    var documentation: String?
    var group: String?
    /// The line in the file itself; nil in one that it includes.
    let line: Int?
  }

  let folder: String
  private(set) var targets: [Target] = []
  private(set) var phony: Set<String> = []
  private var files: Set<String> = []
  private var depth = 0

  init(folder: String) { self.folder = folder }

  mutating func read(_ content: [UInt8], isMain: Bool) {
    let lines = String(decoding: content, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    var comment: String?
    var group: String?
    var isDefinition = false
    var index = 0
    while index < lines.count {
      let number = index + 1
      var line = String(lines[index])
      index += 1
      let isRecipe = line.hasPrefix("\t")
      while line.hasSuffix("\\"), index < lines.count {
        line.removeLast()
        line += " " + lines[index].drop { $0 == " " || $0 == "\t" }
        index += 1
      }
      if isRecipe {
        comment = nil
        continue
      }
      let words = line.split { $0 == " " || $0 == "\t" }
      if isDefinition {
        isDefinition = words.first != "endef"
        continue
      }
      guard let first = words.first else {
        comment = nil
        continue
      }
      if first.hasPrefix("#") {
        let text = line.drop { $0 == " " }
        if text.hasPrefix("##@") {
          group = Self.trimmed(text.dropFirst(3))
          comment = nil
        } else {
          let said = Self.trimmed(text.drop { $0 == "#" })
          comment = said.isEmpty ? nil : said
        }
        continue
      }
      defer { comment = nil }
      if first == "define" || words.dropFirst().first == "define" {
        isDefinition = !line.contains("endef")
      } else if ["include", "-include", "sinclude"].contains(first) {
        include(words.dropFirst())
      } else {
        rule(line, at: isMain ? number : nil, comment, group)
      }
    }
  }

  private mutating func include(_ words: ArraySlice<Substring>) {
    for word in words.prefix(while: { !$0.hasPrefix("#") })
    where !word.contains(where: { "$*?[%".contains($0) }) && depth < 16 {
      let path = word.hasPrefix("/") ? String(word) : "\(folder)/\(word)"
      guard files.insert(path).inserted, let content = fileContent(path) else { continue }
      depth += 1
      read(content, isMain: false)
      depth -= 1
    }
  }

  private mutating func rule(_ line: String, at number: Int?, _ comment: String?, _ group: String?)
  {
    let code = line.prefix { $0 != "#" }
    guard let colon = Self.colon(in: code) else { return }
    let names = code[..<colon].split { $0 == " " || $0 == "\t" || $0 == "&" }
    var rest = code[code.index(after: colon)...]
    if rest.first == ":" { rest = rest.dropFirst() }
    if names == [".PHONY"] {
      phony.formUnion(rest.split { $0 == " " || $0 == "\t" }.map(String.init))
      return
    }
    // A variable of a target.
    if rest.prefix(while: { $0 != ";" }).contains("=") { return }
    var documentation = comment
    if let mark = line.indices.first(where: { line[$0...].hasPrefix("##") }) {
      documentation = Self.trimmed(line[mark...].drop { $0 == "#" })
    }
    for name in names {
      let isSpecial = name.hasPrefix(".") && !name.contains("/")
      if isSpecial || name.hasPrefix("-") || name.contains(where: { "%$()*?[=".contains($0) }) {
        continue
      }
      if let known = targets.firstIndex(where: { $0.name == name }) {
        if targets[known].documentation == nil { targets[known].documentation = documentation }
      } else {
        targets.append(
          Target(
            name: String(name), documentation: documentation, group: group, line: number))
      }
    }
  }

  /// Returns the colon of a rule; nil if the line is none, as an assignment.
  private static func colon(in code: Substring) -> String.Index? {
    var depth = 0
    for index in code.indices {
      switch code[index] {
      case "(", "{": depth += 1
      case ")", "}": depth -= 1
      case "=" where depth == 0: return nil
      case ":" where depth == 0:
        let rest = code[index...].drop { $0 == ":" }
        return rest.first == "=" ? nil : index
      default: break
      }
    }
    return nil
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return String(text)
  }
}
