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

  private(set) var targets: [Target] = []
  private var indices: [String: Int] = [:]
  private(set) var phony: Set<String> = []
  private var variables: MakefileVariables
  private var conditionals = MakefileConditionals()
  private let folder: String
  private var files: Set<String> = []
  private var depth = 0

  init(folder: String) {
    self.folder = folder
    variables = MakefileVariables(folder: folder)
  }

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - name: its path from the folder.
  ///   - isMain: false for one that another file includes.
  mutating func read(_ content: [UInt8], named name: String, isMain: Bool) {
    variables.add(file: name)
    read(String(decoding: content, as: UTF8.self)) { isMain ? $0 : nil }
  }

  /// Reads lines.
  ///
  /// - Parameter place: the line of the file itself for each of their numbers.
  private mutating func read(_ text: String, at place: (Int) -> Int?) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let outer = conditionals.depth
    var comment: String?
    var group: String?
    var index = 0
    while index < lines.count {
      let number = index + 1
      var line = String(lines[index])
      index += 1
      let isRecipe = line.hasPrefix("\t")
      while line.hasSuffix("\\"), index < lines.count {
        line.removeLast()
        line += " " + lines[index].drop(while: \.isBlank)
        index += 1
      }
      if isRecipe {
        comment = nil
        continue
      }
      let words = line.split(maxSplits: 2, whereSeparator: \.isBlank)
      guard let first = words.first else {
        comment = nil
        continue
      }
      if first.hasPrefix("#") {
        let text = line.drop { $0 == " " }
        if text.hasPrefix("##@") {
          group = String(text.dropFirst(3).trimmingBlanks)
          comment = nil
        } else {
          let said = text.drop { $0 == "#" }.trimmingBlanks
          comment = said.isEmpty ? nil : String(said)
        }
        continue
      }
      defer { comment = nil }
      if first == "define" || words.dropFirst().first == "define" {
        let body = lines[index...].prefix { !Self.endsDefinition($0) }
        index = min(body.endIndex + 1, lines.count)
        guard conditionals.isRead else { continue }
        variables.define(
          line[...], body.joined(separator: "\n"), isCertain: conditionals.isCertain)
      } else if !readConditional(first, line, outer), conditionals.isRead {
        read(line, place(number), comment, group)
      }
    }
    conditionals.end(to: outer)
  }

  private static func endsDefinition(_ line: Substring) -> Bool {
    line.drop(while: \.isBlank).hasPrefix("endef")
  }

  /// Takes a line of a conditional; false for any other.
  private mutating func readConditional(_ first: Substring, _ line: String, _ outer: Int) -> Bool {
    let code = line.prefix { $0 != "#" }.drop(while: \.isBlank)
    if first == "endif" {
      if conditionals.depth > outer { conditionals.end(to: conditionals.depth - 1) }
    } else if first == "else" {
      guard conditionals.depth > outer else { return true }
      let rest = code.dropFirst(4).drop(while: \.isBlank)
      let isNeeded = conditionals.isElseRead
      conditionals.change(
        to: Self.isCondition(rest) ? isNeeded ? variables.condition(rest) : nil : true)
    } else if Self.isCondition(code) {
      conditionals.begin(conditionals.isRead ? variables.condition(code) : nil)
    } else {
      return false
    }
    return true
  }

  private static func isCondition(_ line: Substring) -> Bool {
    let directive = line.prefix { !$0.isBlank }
    return ["ifeq", "ifneq", "ifdef", "ifndef"].contains(directive)
  }

  /// Reads an include, an assignment, a rule, or a reference that makes lines.
  private mutating func read(
    _ line: String, _ number: Int?, _ comment: String?, _ group: String?
  ) {
    let code = line.prefix { $0 != "#" }
    let first = code.drop(while: \.isBlank).prefix { !$0.isBlank }
    if ["include", "-include", "sinclude"].contains(first) {
      include(code[first.endIndex...], isRequired: first == "include")
    } else if first.hasPrefix("$"),
      code.firstOutsideReferences(where: { $0 == ":" || $0 == "=" }) == nil
    {
      guard depth < 16 else { return }
      depth += 1
      for text in variables.evaluated(code) { read(text) { _ in number } }
      depth -= 1
    } else if first == "vpath" {
      return
    } else if !variables.assign(code, isCertain: conditionals.isCertain) {
      rule(line, at: number, comment, group)
    }
  }

  private mutating func include(_ words: Substring, isRequired: Bool) {
    for word in variables.words(of: words) {
      // The files that compilers write name what each object depends on, and nothing to execute.
      if word.hasSuffix(".d") { continue }
      let isPattern = word.contains { "*?[".contains($0) }
      let names = isPattern ? ShellPattern.paths(word, in: folder) : [word]
      guard !word.contains("$"), depth < 16 else {
        variables.addUnknown()
        continue
      }
      for name in names {
        let path = name.hasPrefix("/") ? name : "\(folder)/\(name)"
        guard files.insert(path).inserted else { continue }
        guard let content = fileContent(path) else {
          // A rule makes it.
          if isRequired { variables.addUnknown() }
          continue
        }
        depth += 1
        read(content, named: name, isMain: false)
        depth -= 1
      }
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
      documentation = String(line[mark...].drop { $0 == "#" }.trimmingBlanks)
    }
    for name in names.map(MakefileNames.plain) where MakefileNames.isTarget(name) {
      if let known = indices[name] {
        if targets[known].documentation == nil { targets[known].documentation = documentation }
      } else {
        indices[name] = targets.count
        targets.append(
          Target(name: name, documentation: documentation, group: group, line: number))
      }
    }
  }
}
