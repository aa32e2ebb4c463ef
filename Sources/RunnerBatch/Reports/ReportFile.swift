import LuaRuntime
import Platform
import RunnerCore

/// A file that a batch writes. A file that cannot be written is detected before any work is done;
/// the file of an earlier batch is removed when this one begins; the new one appears when it is
/// complete.
///
/// Until then the text is in an unnamed file, so that nothing is left behind however the program
/// ends. The file is created under an unpredictable name, with access for its owner alone or with
/// the permissions of the file that it replaces.
package final class ReportFile {
  private let path: String
  /// The destination of the path, with symbolic links resolved.
  private let target: String
  /// True for a regular file, false for a device or a descriptor, which is appended to.
  private let isReplaced: Bool
  private let permissions: mode_t
  private let text: UnsafeMutablePointer<FILE>
  private var problem: Int32 = 0

  package init(_ path: String) throws(UsageError) {
    self.path = path
    var information = stat()
    let isThere = stat(path, &information) == 0
    if isThere, information.st_mode & S_IFMT == S_IFDIR {
      throw .input(Self.message(path, EISDIR))
    }
    let isRegular = !isThere || information.st_mode & S_IFMT == S_IFREG
    // `/dev/stdout` may lead to a regular file, which must not be replaced.
    isReplaced = isRegular && !Self.isSpecial(path)
    permissions = isThere ? information.st_mode & 0o777 : 0o600
    var file: UnsafeMutablePointer<FILE>?
    if isReplaced {
      target = try Self.target(of: path)
      // In the same folder, to check that a file can be created there.
      if let (made, name) = makeFile(beside: target, 0o600) {
        file = made
        unlink(name)
      }
    } else {
      target = path
      if access(target, W_OK) == 0 { file = tmpfile() }
    }
    guard let file else { throw .input(Self.message(path, errno)) }
    text = file
  }

  deinit {
    fclose(text)
  }

  /// True if two paths lead to the same file, existing or not. Devices may be shared.
  static func isSame(_ one: String, _ other: String) -> Bool {
    guard !isSpecial(one), !isSpecial(other) else { return false }
    var (first, second) = (stat(), stat())
    switch (stat(one, &first), stat(other, &second)) {
    case (0, 0):
      return first.st_mode & S_IFMT == S_IFREG && first.st_dev == second.st_dev
        && first.st_ino == second.st_ino
    case (0, _), (_, 0): return false
    default: return resolved(one) == resolved(other)
    }
  }

  /// Removes the file of an earlier batch, which could be mistaken for this one's if this one is
  /// killed.
  func removeOld() {
    if isReplaced { unlink(target) }
  }

  package func write(_ text: String) {
    if let problem = Self.write(text, to: self.text) { self.problem = problem }
  }

  /// Puts the file in its place, with a text before all that was written.
  ///
  /// - Returns: the error message, if it failed.
  package func finish(heading: String = "") -> String? {
    if problem == 0 { problem = publish(heading) }
    return problem == 0 ? nil : Self.message(path, problem)
  }

  /// - Returns: 0 or an error number.
  private func publish(_ heading: String) -> Int32 {
    guard isReplaced else {
      guard let file = fopen(target, "ae") else { return errno }
      return copy(heading, to: file)
    }
    guard let (file, name) = makeFile(beside: target, permissions) else { return errno }
    var problem = copy(heading, to: file)
    if problem == 0 {
      if rename(name, target) == 0 { return 0 }
      problem = errno
    }
    unlink(name)
    return problem
  }

  /// Writes the whole content to a file and closes it.
  ///
  /// - Returns: 0 or an error number.
  private func copy(_ heading: String, to file: UnsafeMutablePointer<FILE>) -> Int32 {
    let problem = Self.write(heading, to: file) ?? copyText(to: file)
    let code = fclose(file) == 0 ? 0 : errno
    return problem == 0 ? code : problem
  }

  private func copyText(to file: UnsafeMutablePointer<FILE>) -> Int32 {
    guard fflush(text) == 0 else { return errno }
    rewind(text)
    return withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { space in
      while true {
        let count = fread(space.baseAddress, 1, space.count, text)
        if count == 0 { return ferror(text) == 0 ? 0 : errno }
        if fwrite(space.baseAddress, 1, count, file) < count { return errno }
      }
    }
  }

  /// - Returns: the error number, if the write failed.
  private static func write(_ text: String, to file: UnsafeMutablePointer<FILE>) -> Int32? {
    var text = text
    return text.withUTF8 { bytes in
      fwrite(bytes.baseAddress, 1, bytes.count, file) < bytes.count ? errno : nil
    }
  }

  private static func isSpecial(_ path: String) -> Bool {
    path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
  }

  /// The destination of a path. A symbolic link is followed if it belongs to the user or to the
  /// system: in a folder that many users may write to, another user's link could lead to a file of
  /// this user.
  private static func target(of path: String) throws(UsageError) -> String {
    var information = stat()
    if lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFLNK,
      information.st_uid != geteuid(), information.st_uid != 0
    {
      throw .input("cannot write '\(path)': it is a symbolic link of another user")
    }
    return resolved(path)
  }

  /// The path without symbolic links, as far as it exists: a link may lead to a file that is to be
  /// created.
  private static func resolved(_ path: String, links: Int = 0) -> String {
    if let real = resolvedPath(path) { return real }
    let (directory, name) = CommandFile.split(path)
    if links < 40, let target = linkTarget(of: path) {
      let isAbsolute = target.hasPrefix("/")
      return resolved(isAbsolute ? target : "\(directory)/\(target)", links: links + 1)
    }
    return resolvedPath(directory).map { "\($0)/\(name)" } ?? path
  }

  private static func message(_ path: String, _ code: Int32) -> String {
    "cannot write '\(path)': \(systemErrorText(code))"
  }
}
