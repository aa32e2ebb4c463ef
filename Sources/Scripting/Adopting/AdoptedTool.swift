import EventLoop

/// A program that executes recipes of a file.
struct AdoptedTool: Equatable {
  let name: String
  /// The path of the file in messages.
  let file: String
  /// The folder in which it is executed.
  let folder: String

  var isInstalled: Bool {
    ProgramLookup.path(
      of: Array(name.utf8), environment: nil, directory: Array(folder.utf8)) != nil
  }
}
