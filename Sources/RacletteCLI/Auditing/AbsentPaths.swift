import Platform

/// The paths at which a command has looked for files, and where nothing is, relative to the project.
struct AbsentPaths {
  let paths: [String]
  /// How many of them are below each folder that is there, without those below a folder in it.
  private let counts: [(folder: String, count: Int)]

  init(_ paths: [String]) {
    self.paths = paths
    var counts: [String: Int] = [:]
    for path in paths { counts[Self.folder(of: path), default: 0] += 1 }
    self.counts = counts.map { ($0.key, $0.value) }.sorted { $0.folder < $1.folder }
  }

  /// The innermost folder that is there; `.` for the project.
  private static func folder(of path: String) -> String {
    path.foldersAbove.last { $0.exists } ?? "."
  }

  /// Fewer paths in a folder are named one by one.
  private static let fewest = 4

  /// What stands for the paths in a definition: a folder as a whole where several are missing in it, as
  /// in one where a compiler looks for each header. The folder of the project is none.
  var patterns: [WholeFolders.Element] {
    let whole = Set(counts.filter { $0.count >= Self.fewest && $0.folder != "." }.map(\.folder))
    var elements: [WholeFolders.Element] = []
    for path in paths {
      let folder = Self.folder(of: path)
      let element = whole.contains(folder) ? WholeFolders.Element.folder(folder) : .file(path)
      if !elements.contains(element) { elements.append(element) }
    }
    return elements
  }

  /// How many folders the summary names.
  private static let mostFolders = 5

  /// All paths, or a line that says how many there are in which folders; empty if there are none.
  func text(isVerbose: Bool) -> String {
    guard !paths.isEmpty else { return "" }
    let start = "looked for, but not found:"
    if isVerbose { return start + "\n" + paths.map { "  \($0.visibleInLine)\n" }.joined() }
    var parts = counts.prefix(Self.mostFolders).map { "\($0.count) in \($0.folder.visibleInLine)" }
    let rest = counts.dropFirst(Self.mostFolders)
    if !rest.isEmpty { parts.append("\(rest.reduce(0) { $0 + $1.count }) elsewhere") }
    return "\(start) \(parts.joined(separator: ", ")) (-v lists them, --absent counts them)\n"
  }
}
