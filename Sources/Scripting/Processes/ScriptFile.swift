import LuaRuntime
import Platform
import Synchronization

/// The file of a script while its process runs, in a folder that only its user may enter. Confined to
/// the loop's thread.
///
/// A runner that is killed leaves it behind. It holds a lock on the file, so that a later one finds out
/// which files nobody needs any more, and removes them.
final class ScriptFile {
  /// The path, whose last part is the name of what the script belongs to.
  let path: String
  private let folder: String
  private var descriptor: Int32 = -1

  private static let prefix = "raclette-script-"
  private static let hasLookedForLeftovers = Atomic<Bool>(false)

  /// - Throws: `Failure` of kind `spawn` if it cannot be written.
  init(_ script: InterpreterScript, named name: String) throws(Failure) {
    let parent = environmentVariable("TMPDIR") ?? "/tmp"
    if !Self.hasLookedForLeftovers.exchange(true, ordering: .relaxed) {
      Self.removeLeftovers(in: parent)
    }
    var template = parent.exactBytes + Array("/\(Self.prefix)XXXXXX".utf8) + [0]
    let isMade = template.withUnsafeMutableBufferPointer { bytes in
      bytes.withMemoryRebound(to: CChar.self) { mkdtemp($0.baseAddress.unsafelyUnwrapped) != nil }
    }
    guard isMade else {
      let reason = systemErrorText(errno)
      throw Failure(.spawn, "\(script.subject) needs a file in '\(parent)': \(reason)")
    }
    folder = String(exactly: template.dropLast())
    let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
    let file = name.exactBytes.map { $0 == slash || $0 == 0 ? UInt8(ascii: "_") : $0 }.prefix(200)
    path = folder + "/" + (file.first == dot ? "_" : "") + String(exactly: file)
    let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
    descriptor = open(path, flags, 0o600)
    guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0,
      writeAll(script.text, to: descriptor) == 0
    else {
      let reason = systemErrorText(errno)
      remove()
      throw Failure(
        .spawn, "\(script.subject) cannot be written to '\(path)': \(reason)")
    }
  }

  deinit { remove() }

  /// Removes it. A further call does nothing.
  func remove() {
    _ = unlink(path)
    _ = folder.withCBytes { rmdir($0) }
    if descriptor >= 0 { unlockAndClose(descriptor) }
    descriptor = -1
  }

  /// Removes the files of this user that runners which were killed have left in a folder.
  private static func removeLeftovers(in parent: String) {
    for name in names(inFolder: parent) ?? [] where name.utf8.starts(with: prefix.utf8) {
      let folder = "\(parent)/\(name)"
      var information = stat()
      guard lstat(folder, &information) == 0,
        information.st_mode & S_IFMT == S_IFDIR, information.st_uid == geteuid(),
        // A new one may have yet to get its file and its lock.
        time(nil) - information.modificationTime.tv_sec > 60
      else { continue }
      var isNeeded = false
      for file in names(inFolder: folder) ?? [] {
        let path = "\(folder)/\(file)"
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { continue }
        defer { unlockAndClose(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
          isNeeded = true
          continue
        }
        _ = unlink(path)
      }
      if !isNeeded { _ = folder.withCBytes { rmdir($0) } }
    }
  }
}
