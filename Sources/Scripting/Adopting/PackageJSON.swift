import Platform

/// The scripts of a package.json.
struct PackageJSON {
  private let file: AdoptedFile

  init(_ file: AdoptedFile) { self.file = file }

  func recipes() throws(AdoptionError) -> [AdoptedRecipe] {
    var content = try file.content()
    if content.starts(with: [0xEF, 0xBB, 0xBF]) { content.removeFirst(3) }
    let document: JSONValue
    do { document = try JSONValue(parsingOther: content) } catch {
      throw .malformed(file.title, line: error.line, reason: error.reason)
    }
    let manager = manager(named: document["packageManager"]?.string)
    var lines = PackageLines(content)
    return (document["scripts"]?.fields ?? []).compactMap { name, line in
      // npm lists its scripts if it is given an empty name.
      guard let line = line.string, !name.isEmpty else { return nil }
      var recipe = AdoptedRecipe(name: name, words: [manager, "run", name])
      recipe.summary = line.split(whereSeparator: \.isNewline).first.map(String.init)
      recipe.parameters = [AdoptedParameter(name: "args", form: .rest)]
      // The others pass on what follows the name, and `--` with it.
      recipe.separator = manager == "npm" ? "--" : nil
      recipe.line = lines.line(of: name)
      return recipe
    }
  }

  /// Returns the package manager: the one that the file names, or that has written a lock file here or
  /// in a folder above, as for a workspace.
  private func manager(named field: String?) -> String {
    if let name = field?.split(separator: "@").first, Self.locks.contains(where: { $0.0 == name }) {
      return String(name)
    }
    var folder = file.folder
    for _ in 0..<32 {
      for (manager, locks) in Self.locks
      where locks.contains(where: { access("\(folder)/\($0)", F_OK) == 0 }) {
        return manager
      }
      if access("\(folder)/.git", F_OK) == 0 { break }
      folder += "/.."
    }
    return "npm"
  }

  private static let locks = [
    ("pnpm", ["pnpm-lock.yaml"]), ("yarn", ["yarn.lock"]), ("bun", ["bun.lock", "bun.lockb"]),
    ("npm", ["package-lock.json", "npm-shrinkwrap.json"]),
  ]
}

/// The lines of the keys of `scripts`, searched in their order.
private struct PackageLines {
  private let lines: [Substring]
  private var next: Int

  init(_ content: [UInt8]) {
    lines = String(decoding: content, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    next = lines.firstIndex { Self.has("scripts", $0) } ?? 0
  }

  private static func has(_ key: String, _ line: Substring) -> Bool {
    var rest = line
    let mark = "\"\(key)\""
    while let quote = rest.firstIndex(of: "\"") {
      rest = rest[quote...]
      if rest.hasPrefix(mark),
        rest.dropFirst(mark.count).first(where: { $0 != " " }) == ":"
      {
        return true
      }
      rest = rest.dropFirst()
    }
    return false
  }

  mutating func line(of key: String) -> Int? {
    guard let found = lines[next...].firstIndex(where: { Self.has(key, $0) }) else { return nil }
    next = found
    return found + 1
  }
}
