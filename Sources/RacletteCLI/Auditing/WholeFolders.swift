import Platform

/// The folders that a command makes as a whole, such as a build's: single names in them may be others in
/// the next build.
struct WholeFolders {
  enum Element: Equatable {
    case file(String)
    case folder(String)
  }

  /// The folders that the command has made, relative to the project.
  private let made: Set<String>

  init(made: [String]) { self.made = Set(made) }

  /// Fewer files are named one by one.
  private static let fewest = 4

  /// The files, with a folder in place of those in it where it can stand for them: the command has made
  /// it, or it says of itself that it is a cache, and nothing in it was there to be read.
  func patterns(for written: [String], besides read: [String]) -> [Element] {
    var counts: [String: Int] = [:]
    for path in written {
      for folder in path.foldersAbove { counts[folder, default: 0] += 1 }
    }
    var taken = Set<String>()
    for path in read { taken.formUnion(path.foldersAbove) }
    var elements: [Element] = []
    for path in written {
      let folder = path.foldersAbove.first { folder in
        counts[folder, default: 0] >= Self.fewest && !taken.contains(folder) && isWhole(folder)
      }
      let element = folder.map { Element.folder($0) } ?? .file(path)
      if elements.last != element { elements.append(element) }
    }
    return elements
  }

  private func isWhole(_ folder: String) -> Bool {
    made.contains(folder) || "\(folder)/CACHEDIR.TAG".exists
  }
}
