import Platform

/// The folder `.raclette` beside the command file, where Raclette keeps its own files and a project
/// its plugins.
package enum KeptFolder {
  package static let name = ".raclette"

  /// The path of a file in it.
  package static func path(_ file: String) -> String { "\(name)/\(file)" }

  /// The files that belong to Raclette: states of commands and journals, with what SQLite keeps
  /// beside them, and the library's types for editors. Plugins belong to the project.
  private static let ignored = """
    # Written by Raclette: these files are its own.
    /.gitignore
    /state*.db*
    /journal.db*
    /hub-*
    /restoring/
    /library/

    """

  /// Makes the folder for a file of Raclette's own, and in it the rules for git if there are none.
  ///
  /// - Returns: 0 or an error number. Missing rules are no error.
  package static func make(_ folder: String) -> Int32 {
    if mkdir(folder, 0o777) != 0, errno != EEXIST { return errno }
    // A user may remove the rules for good.
    let isFirst = !["state.db", "journal.db"].contains { access("\(folder)/\($0)", F_OK) == 0 }
    guard isFirst else { return 0 }
    let descriptor = open(
      "\(folder)/.gitignore", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { return 0 }
    Array(ignored.utf8).withUnsafeBytes { _ = writeBytes($0, to: descriptor) }
    close(descriptor)
    return 0
  }
}
