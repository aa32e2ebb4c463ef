import Platform

/// A file to take in.
struct AdoptedFile: Sendable {
  /// The path that the program reads.
  let path: String
  /// The path in messages.
  let title: String

  /// The folder in which the tool works.
  var folder: String { FilePath.parent(of: path) }
  /// The name in that folder.
  var name: String { path.cut(atLast: "/").map { String($0.after) } ?? path }

  func content() throws(AdoptionError) -> [UInt8] {
    guard let content = fileContent(path) else {
      throw .unreadable(title, reason: systemErrorText(errno))
    }
    return content
  }

  /// True if a tool that is started without a file's name takes this one: the first of its names that
  /// is there.
  func isFound(among names: [String]) -> Bool {
    names.first { access("\(folder)/\($0)", F_OK) == 0 } == name
  }
}
