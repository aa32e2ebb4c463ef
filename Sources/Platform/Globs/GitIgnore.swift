/// The rules of the `.gitignore` files of a folder: those in it, in its folders, and in the folders
/// above it up to the top of the repository, and `.git/info/exclude`.
///
/// As in git, the deepest file with a rule for a path decides, in a file the last rule; what is in an
/// ignored folder is ignored whatever rules say; `.git` is ignored. The user's own file
/// (`core.excludesFile`) is not read. A file is read when a path in its folder is asked for, and kept
/// until `forget`. Used by one thread at a time.
public final class GitIgnore {
  /// The folder to which paths are relative.
  private let folder: String
  /// The way from the top of the repository to the folder.
  private let above: [[UInt8]]
  /// The path of the top of the repository.
  private let top: String
  /// The rules of the files that have been read, by the path of their folders from the top.
  private var rules: [[UInt8]: [GitPattern]] = [:]

  /// - Parameter folder: the folder to which paths are relative. Without a repository around it, it
  ///   is the top itself.
  public init(_ folder: String = ".") {
    self.folder = folder
    let real = resolvedPath(folder) ?? folder
    var top = real
    while access(top + "/.git", F_OK) != 0 {
      guard let (parent, _) = top.cut(atLast: "/"), !parent.isEmpty else {
        top = real
        break
      }
      top = String(parent)
    }
    self.top = top
    above = real.exactBytes.dropFirst(top.exactBytes.count)
      .split(separator: UInt8(ascii: "/")).map(Array.init)
  }

  /// The paths of the `.gitignore` files in the folders above the folder, which need not exist.
  public var filesAbove: [String] {
    (0..<above.count).map { count in
      let folder = above[..<count].map { "/" + String(exactly: $0) }.joined()
      return "\(top)\(folder)/.gitignore"
    }
  }

  /// Forgets what has been read, because a `.gitignore` has changed.
  public func forget() { rules = [:] }

  /// Returns true if git would ignore a path, which is relative to the folder. Paths that lead out
  /// of the folder are not ignored.
  ///
  /// - Parameter isFolder: true if the path is that of a folder: some rules hold for folders only.
  public func ignores(_ path: String, isFolder: Bool) -> Bool {
    let bytes = path.exactBytes
    let inner = bytes.split(separator: UInt8(ascii: "/"))
      .filter { !$0.elementsEqual(".".utf8) }.map(Array.init)
    guard bytes.first != UInt8(ascii: "/"), !inner.contains(Array("..".utf8)) else { return false }
    let names = above + inner
    for count in above.count..<max(above.count, names.count) {
      let isLast = count + 1 == names.count
      if names[count] == Array(".git".utf8) { return true }
      if decision(names[...count], isFolder: !isLast || isFolder) == true { return true }
    }
    return false
  }

  /// What the deepest file with a rule for a path says of it; nil if none has one.
  private func decision(_ names: ArraySlice<[UInt8]>, isFolder: Bool) -> Bool? {
    for depth in names.indices.reversed() {
      let rest = names[depth...]
      if let rule = rules(in: Array(names[..<depth].joined(separator: [UInt8(ascii: "/")])))
        .last(where: { $0.matches(rest, isFolder: isFolder) })
      {
        return !rule.isNegated
      }
    }
    return nil
  }

  private func rules(in folder: [UInt8]) -> [GitPattern] {
    if let known = rules[folder] { return known }
    let path = folder.isEmpty ? top : "\(top)/\(String(exactly: folder))"
    var read = Self.rules(ofFile: path + "/.gitignore")
    if folder.isEmpty { read = Self.rules(ofFile: path + "/.git/info/exclude") + read }
    rules[folder] = read
    return read
  }

  private static func rules(ofFile path: String) -> [GitPattern] {
    guard let text = fileContent(path) else { return [] }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    return text.dropFirst(text.starts(with: mark) ? mark.count : 0)
      .split(separator: 10).compactMap { GitPattern(line: $0) }
  }
}
