import LuaRuntime
import Platform
import Scripting

/// The file that defines the commands.
package enum CommandFile {
  package static let name = CommandFileName.usual

  /// The nearest command file from the current folder upwards, as a relative path.
  static func nearest() -> String? {
    upwards { folder in access(folder + name, F_OK) == 0 ? name : nil }
  }

  /// The kinds of files of other tools that can be taken in, for messages.
  package static let adoptable = AdoptedFormat.kinds

  /// The nearest file of another tool from the current folder upwards, as a relative path.
  package static func nearestAdoptable() -> String? {
    upwards { folder in AdoptedFormat.files(in: folder).first }
  }

  /// The end of a message about a missing command file: a file of the current folder whose name is nearly
  /// that of one; empty if there is none.
  package static var hintAtMisnamed: String {
    let similar = ["command.lua", name, "raclette.lua", "rac.lua"]
    let found = (names(inFolder: ".") ?? []).sorted()
      .first { $0 != name && similar.contains($0.lowercased()) }
    return found.map { "; '\($0)' is here: rename it, or name it with -f" } ?? ""
  }

  /// Looks for a file in the current folder, then in those above it.
  private static func upwards(_ find: (_ folder: String) -> String?) -> String? {
    var folder = ""
    while true {
      if let name = find(folder) { return folder + name }
      let parent = folder + "../"
      guard let here = identity(folder.isEmpty ? "." : folder), let above = identity(parent),
        here != above
      else { return nil }
      folder = parent
    }
  }

  /// True if there is a command file in a folder or above it; nil for the current folder.
  package static func isAbove(_ directory: String?) -> Bool {
    guard let directory else { return nearest() != nil }
    let start = open(".", O_RDONLY | O_CLOEXEC)
    defer { close(start) }
    guard chdir(directory) == 0 else { return true }
    defer { fchdir(start) }
    return nearest() != nil
  }

  /// True if a path leads to the file of this name in the current folder, or did before the file was
  /// removed.
  static func isIt(_ path: String, named name: String) -> Bool {
    if let known = identity(path) { return known == identity(name) }
    return place(path) == place(name)
  }

  /// The full path of something that may be missing, with the folders that are there resolved.
  private static func place(_ path: String) -> String {
    var (folder, name) = split(path)
    while folder != "/", folder != ".", resolvedPath(folder) == nil {
      let (above, last) = split(folder)
      (folder, name) = (above, "\(last)/\(name)")
    }
    return "\(resolvedPath(folder) ?? folder)/\(name)"
  }

  /// The device and inode of a file or folder, for comparison: the root is its own parent.
  private static func identity(_ folder: String) -> [UInt64]? {
    var information = stat()
    guard stat(folder, &information) == 0 else { return nil }
    return [UInt64(information.st_dev), UInt64(information.st_ino)]
  }

  /// The folder of a path, and its last part.
  package static func split(_ path: String) -> (directory: String, name: String) {
    guard let (folder, name) = path.cut(atLast: "/") else { return (".", path) }
    return (folder.isEmpty ? "/" : String(folder), String(name))
  }

  package static func enter(_ directory: String) throws(UsageError) {
    guard chdir(directory) == 0 else {
      throw .directory(directory, reason: systemErrorText(errno))
    }
  }
}

extension CommandLine {
  /// True if an option names the command file.
  package var namesCommandFile: Bool { has(.file) || has(.global) || has(.adopt) }

  /// Returns the command file: the one that `--file` names, the user's own with `--global`, else the
  /// nearest one upwards; nil if there is none.
  ///
  /// - Throws: `UsageError` for both options together, `CommandFileError` if the user has no such
  ///   file.
  package func commandFile() throws -> String? {
    if has(.adopt) {
      if has(.file) || has(.global) {
        throw UsageError.input("--adopt excludes --file and --global; -f FILE adopts FILE itself")
      }
      guard let file = CommandFile.nearestAdoptable() else {
        throw CommandFileError(
          message: "no \(CommandFile.adoptable) here or in a folder above")
      }
      return file
    }
    guard has(.global) else { return self[.file] ?? CommandFile.nearest() }
    if has(.file) { throw UsageError.input("--file and --global exclude each other") }
    guard let folder = ScriptHost.configurationFolder else {
      throw CommandFileError(message: "--global needs the variable XDG_CONFIG_HOME or HOME")
    }
    let path = "\(folder)/\(CommandFile.name)"
    guard access(path, F_OK) == 0 else {
      throw CommandFileError(
        message: "cannot read \(path): \(systemErrorText(errno)); "
          + "'raclette :init \(folder)' writes one")
    }
    return path
  }
}
