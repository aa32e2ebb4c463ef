import Digests
import EventLoop
import Platform

/// The files of the hub of one command file and one user.
///
/// They are in `.raclette` beside the command file. Where a socket there would not do, because the path
/// is too long, the folder cannot be written, or its file system is shared with other machines or has no
/// sockets, they are in a folder of the user, below `XDG_RUNTIME_DIR` or, where that would not do
/// either, in `/tmp`. The hub and its clients come to the same answer.
package struct HubPlace: Sendable, Equatable {
  /// The command file, without symbolic links.
  package let commandFile: String
  private let folder: String
  private let name: String
  private let isBesideFile: Bool

  package var socket: String { "\(folder)/\(name).sock" }
  /// The file whose lock a hub holds while it starts and while it ends. It holds the process id of the
  /// one that started last.
  package var lock: String { "\(folder)/\(name).lock" }
  /// The file whose lock a hub holds as long as it lives; nil if the project's folder is gone. It is not
  /// where the others are: whoever removes these, as `git clean -fdx` does, does not let in a second hub
  /// beside one that still ends. Its name identifies the folder, too, because containers that share `/tmp`
  /// may have other folders of the same path.
  package var lifeLock: String? {
    var folder = stat()
    guard stat(CommandFile.split(commandFile).directory, &folder) == 0 else { return nil }
    let name = Self.name(of: "\(folder.st_dev) \(folder.st_ino) \(socket)")
    return "\(UserFolder.shared.path)/\(name)\(Self.lifeEnding)"
  }
  private static let lifeEnding = ".life"
  /// The process id of the hub that started last; nil if none has.
  package var process: pid_t? {
    fileContent(lock).flatMap { pid_t(String(decoding: $0.prefix { $0 != 10 }, as: UTF8.self)) }
  }
  /// The key of the ids of services.
  package var idKey: String { "\(folder)/\(name).key" }
  /// The record of process groups that run, for the successor of a hub that was killed.
  package var record: String { "\(folder)/\(name).record" }
  /// What it has executed, for those who come back with a number.
  package var history: String { "\(folder)/\(name).ended" }
  /// What the hub says.
  package var log: String { "\(folder)/\(name).log" }
  /// The beginning of the paths of the records of services.
  package var outputs: String { "\(folder)/\(name)-" }

  /// - Parameter commandFile: a path of the command file, which is there.
  /// - Throws: `CommandFileError` if it is not.
  package init(_ commandFile: String) throws(CommandFileError) {
    guard let real = resolvedPath(commandFile) else {
      throw CommandFileError(
        message: "cannot read \(commandFile): \(systemErrorText(errno))")
    }
    self.commandFile = real
    let (project, file) = CommandFile.split(real)
    let user = getuid()
    let own =
      "hub-\(user)" + (file == CommandFile.name ? "" : "-\(Self.digest(file).prefix(8))")
    let beside = KeptFolder.name
    let place = project == "/" ? "/\(beside)" : "\(project)/\(beside)"
    isBesideFile = Self.isFit(place, own, in: project)
    if isBesideFile {
      (folder, name) = (place, own)
    } else {
      folder = Self.runtimeFolder
      name = Self.name(of: real)
    }
  }

  /// The place for a command file that a session has loaded.
  ///
  /// - Parameter file: its path as the user named it. The process has since entered its folder.
  /// - Throws: `CommandFileError` if it is gone.
  package init(ofLoaded file: String) throws(CommandFileError) {
    try self.init(CommandFile.split(file).name)
  }

  private static func isFit(_ place: String, _ name: String, in project: String) -> Bool {
    guard "\(place)/\(name).sock".exactBytes.count <= LocalSocket.longestPath else { return false }
    let isThere = access(place, F_OK) == 0
    return access(isThere ? place : project, W_OK | X_OK) == 0
      && !FileSystemKind.isUnfitForSockets(isThere ? place : project)
  }

  /// The name of what belongs to one hub in a folder that others share.
  private static func name(of path: String) -> String { "\(nameStart)\(digest(path).prefix(16))" }
  private static let nameStart = "hub-"

  /// Removes the files of the lives of hubs that were killed.
  package static func removeEndedLives() {
    LockFile.sweep(.shared) { $0.hasPrefix(nameStart) && $0.hasSuffix(lifeEnding) }
  }

  private static func digest(_ text: String) -> String {
    var digest = SHA256()
    digest.update(part: text)
    return digest.finish().hexadecimal
  }

  private static var runtimeFolder: String {
    if let folder = ProcessEnvironment.folder(of: "XDG_RUNTIME_DIR"),
      folder.utf8.count <= LocalSocket.longestPath - 40, access(folder, W_OK | X_OK) == 0,
      !FileSystemKind.isUnfitForSockets(folder)
    {
      return "\(folder)/raclette"
    }
    return UserFolder.shared.path
  }

  /// Makes the folder if it is missing.
  ///
  /// - Throws: `HubError.folder` if that is not possible, or it is another user's.
  package func prepare() throws(HubError) {
    guard !isBesideFile else {
      let code = KeptFolder.make(folder)
      guard code == 0 else { throw unusable(folder, because: systemErrorText(code)) }
      return
    }
    if let reason = UserFolder(folder).prepare() {
      let isThere = access(folder, F_OK) == 0
      throw isThere ? .folder(folder, reason: reason) : unusable(folder, because: reason)
    }
  }

  /// Returns the error of a file of the hub that the file system refuses, with what to do about it.
  package func unusable(_ path: String, because reason: String) -> HubError {
    let remedy =
      isBesideFile
      ? "make '\(KeptFolder.name)' a link to a folder that you own on a local disk"
      : "set XDG_RUNTIME_DIR to a folder that you own on a local disk"
    return .folder(path, reason: "\(reason); \(remedy)")
  }

  /// Checks that nobody else can put files into a folder that all users may make.
  ///
  /// - Throws: `HubError.folder` if somebody can.
  package func checkOwner() throws(HubError) {
    guard !isBesideFile, let reason = UserFolder(folder).problem else { return }
    throw .folder(folder, reason: reason)
  }
}
