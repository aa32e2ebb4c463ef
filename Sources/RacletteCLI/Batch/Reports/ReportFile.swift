import LuaRuntime
import Platform

/// A file that a batch writes: one that cannot be written is noticed before any work is done, what an
/// earlier batch left goes when this one begins, and the new one appears when it is whole.
///
/// Until then the text is in a file without a name, so that nothing is left behind however the program
/// ends. It is made under a name that nobody can foresee, for its owner alone, or with the permissions
/// of the file that it replaces.
final class ReportFile {
  private let path: String
  /// Where the path leads, through symbolic links.
  private let target: String
  /// Whether it is a file of its own, and not a device or a descriptor, which are appended to.
  private let isReplaced: Bool
  private let permissions: mode_t
  private let text: UnsafeMutablePointer<FILE>
  private var problem: Int32 = 0

  init(_ path: String) throws(UsageError) {
    self.path = path
    var information = stat()
    let isThere = stat(path, &information) == 0
    let isRegular = !isThere || information.st_mode & S_IFMT == S_IFREG
    // Behind `/dev/stdout` may be a file, which yet must not be replaced.
    isReplaced = isRegular && !Self.isSpecial(path)
    permissions = isThere ? information.st_mode & 0o777 : 0o600
    var file: UnsafeMutablePointer<FILE>?
    if isReplaced {
      target = try Self.target(of: path)
      // Beside its place, to see that there one can be made.
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

  /// Whether two paths lead to one file, be it there or not. Devices may be shared.
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

  /// Removes what an earlier batch left, which could be taken for this one's if this is killed.
  func removeOld() {
    if isReplaced { unlink(target) }
  }

  func write(_ text: String) {
    if let problem = Self.write(text, to: self.text) { self.problem = problem }
  }

  /// Puts the file where it belongs, with a text before all that was written.
  ///
  /// - Returns: what went wrong.
  func finish(heading: String = "") -> String? {
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

  /// Writes all of it to a file, which is closed.
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

  /// - Returns: the error number, if it could not be written.
  private static func write(_ text: String, to file: UnsafeMutablePointer<FILE>) -> Int32? {
    var text = text
    return text.withUTF8 { bytes in
      fwrite(bytes.baseAddress, 1, bytes.count, file) < bytes.count ? errno : nil
    }
  }

  private static func isSpecial(_ path: String) -> Bool {
    path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
  }

  /// Where a path leads. A symbolic link is followed if it is the user's own, or the system's: in a
  /// folder that many may write to, another one's link could lead to a file of the user's.
  private static func target(of path: String) throws(UsageError) -> String {
    var information = stat()
    if lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFLNK,
      information.st_uid != geteuid(), information.st_uid != 0
    {
      throw .input("cannot write '\(path)': it is a symbolic link of another user")
    }
    return resolved(path)
  }

  /// The path without symbolic links, as far as there is something: a link may lead to a file that is
  /// to be made.
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
