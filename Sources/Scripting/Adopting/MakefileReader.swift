import Platform

/// Reads the targets of a Makefile and of what it includes.
struct MakefileReader {
  struct Target {
    let name: String
    var documentation: String?
    var group: String?
    /// The line in the file itself; nil in one that it includes.
    let line: Int?
  }

  let folder: String
  private(set) var targets: [Target] = []
  private var indices: [String: Int] = [:]
  private(set) var phony: Set<String> = []
  private var variables = MakefileVariables()
  private var files: Set<String> = []
  private var depth = 0
  /// The number of conditionals around the line.
  private var conditionals = 0

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
      } else if ["ifeq", "ifneq", "ifdef", "ifndef"].contains(first) {
        conditionals += 1
      } else if first == "endif" {
        conditionals = max(0, conditionals - 1)
      } else if ["include", "-include", "sinclude"].contains(first) {
        include(line[first.endIndex...])
      } else if !variables.assign(line.prefix { $0 != "#" }, isCertain: conditionals == 0) {
        rule(line, at: isMain ? number : nil, comment, group)
      }
    }
  }

  private mutating func include(_ words: Substring) {
    for word in variables.words(of: words.prefix { $0 != "#" })
    // The files that compilers write name what each object depends on, and nothing to execute.
    where !word.contains(where: { "$*?[%".contains($0) }) && !word.hasSuffix(".d") && depth < 16 {
      let path = word.hasPrefix("/") ? word : "\(folder)/\(word)"
      guard files.insert(path).inserted, let content = fileContent(path) else { continue }
      depth += 1
      read(content, isMain: false)
      depth -= 1
    }
  }

  private mutating func rule(_ line: String, at number: Int?, _ comment: String?, _ group: String?)
  {
    let code = line.prefix { $0 != "#" }
    guard let colon = code.firstOutsideReferences(where: { $0 == ":" || $0 == "=" }),
      code[colon] == ":"
    else { return }
    var left = code[..<colon]
    // `a b &: c` makes both at once.
    if left.last == "&" { left = left.dropLast() }
    let names = variables.words(of: left)
    var rest = code[code.index(after: colon)...]
    if rest.first == ":" { rest = rest.dropFirst() }
    if names == [".PHONY"] {
      phony.formUnion(variables.words(of: rest))
      return
    }
    // A variable of a target.
    if let mark = rest.firstOutsideReferences(where: { $0 == "=" || $0 == ";" }), rest[mark] == "="
    {
      return
    }
    var documentation = comment
    if let mark = line.indices.first(where: { line[$0...].hasPrefix("##") }) {
      documentation = Self.trimmed(line[mark...].drop { $0 == "#" })
    }
    for name in names.map(Self.plain) where !Self.isSpecial(name) {
      if name.hasPrefix("-") || name.contains(where: { "%$()*?[=".contains($0) }) { continue }
      if let known = indices[name] {
        if targets[known].documentation == nil { targets[known].documentation = documentation }
      } else {
        indices[name] = targets.count
        targets.append(
          Target(name: name, documentation: documentation, group: group, line: number))
      }
    }
  }

  /// A name without the `./` before it, which make drops.
  private static func plain(_ name: String) -> String {
    var name = name[...]
    while name.hasPrefix("./"), name.count > 2 { name = name.dropFirst(2) }
    return String(name)
  }

  /// True for `.PHONY` and its like, and for rules of suffixes: `.c.o`.
  private static func isSpecial(_ name: String) -> Bool {
    guard name.hasPrefix("."), !name.contains("/") else { return false }
    if name.allSatisfy({ $0 == "." || $0 == "_" || ("A"..."Z").contains($0) }) { return true }
    return name.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
      .allSatisfy { suffixes.contains($0) }
  }

  /// Suffixes that make knows, and some that it is often told of.
  private static let suffixes: Set<Substring> = [
    "a", "asm", "bin", "c", "cc", "class", "cpp", "cu", "cxx", "def", "dvi", "el", "elc", "f",
    "f90",
    "h", "hpp", "html", "i", "java", "l", "lo", "ln", "m", "md", "mod", "o", "obj", "out", "p",
    "pdf",
    "ps", "py", "r", "s", "sh", "so", "svg", "sym", "tex", "txt", "w", "y",
  ]

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return String(text)
  }
}
