import Platform

/// A folder of the user's own where all users may make folders.
package struct UserFolder: Sendable, Equatable {
  package let path: String

  package init(_ path: String) { self.path = path }

  /// The one for what all processes of the user on this machine share, whatever their variables are.
  package static var shared: UserFolder { UserFolder("/tmp/raclette-\(getuid())") }

  /// Makes the folder if it is missing.
  ///
  /// - Returns: the reason why that is not possible, or why the folder is not safe; nil for success.
  package func prepare() -> String? {
    if mkdir(path, 0o700) != 0, errno != EEXIST { return systemErrorText(errno) }
    return problem
  }

  /// The reason why somebody else may be able to put files into the folder; nil if nobody is, or the
  /// folder is missing.
  package var problem: String? {
    var information = stat()
    guard lstat(path, &information) == 0 else { return nil }
    guard information.st_mode & S_IFMT == S_IFDIR else { return "it is not a folder" }
    guard information.st_uid == getuid() else {
      return "it belongs to the user \(information.st_uid)"
    }
    guard information.st_mode & 0o077 == 0 else {
      return "other users may enter it; chmod 700 fixes that"
    }
    return nil
  }
}
