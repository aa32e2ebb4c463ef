/// The way to a path through symbolic links: the folders in which a name on it is looked up.
///
/// A change of one of these folders can make the path lead elsewhere, as when the link `..data` of a
/// mounted ConfigMap of Kubernetes is replaced, or can make a target appear.
public struct FileWay {
  /// The folders that exist, in the order of the way. The last one contains what the path leads to,
  /// or the first name that is missing.
  public private(set) var folders: [String] = []
  /// True if there is a symbolic link on the way.
  public private(set) var hasLinks = false

  /// As many as Linux follows.
  private static let mostLinks = 40

  /// Follows a path as far as it exists.
  public init(_ path: String) {
    var place = path.hasPrefix("/") ? "/" : "."
    var names = Self.names(in: path)
    var links = 0
    while let name = names.popLast() {
      if name == ".." {
        place = Self.join(place, "..")
        continue
      }
      if folders.last != place { folders.append(place) }
      let next = Self.join(place, name)
      var information = stat()
      guard lstat(next, &information) == 0 else { return }
      guard information.kind == .link, let target = linkTarget(of: next) else {
        guard information.kind == .folder || names.isEmpty else { return }
        place = next
        continue
      }
      hasLinks = true
      links += 1
      guard links <= Self.mostLinks else { return }
      if target.hasPrefix("/") { place = "/" }
      names += Self.names(in: target)
    }
  }

  /// The names of a path, the first one last.
  private static func names(in path: String) -> [String] {
    path.exactBytes.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
      .reversed().map { String(exactly: $0) }
  }

  private static func join(_ folder: String, _ name: String) -> String {
    switch folder {
    case ".": name
    case "/": "/" + name
    default: "\(folder)/\(name)"
    }
  }
}
