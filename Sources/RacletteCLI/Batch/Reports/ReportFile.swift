import LuaRuntime
import Platform

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that a batch writes: one that cannot be written is noticed before any work is done, what an
/// earlier batch left goes when this one begins, and the new one appears when it is whole.
///
/// Until then the text is in a file without a name, so that nothing is left behind however the program
/// ends.
final class ReportFile {
  private let path: String
  /// Where the path leads, through symbolic links.
  private let target: String
  /// Whether it is a file of its own, and not a device or a descriptor, which are appended to.
  private let isReplaced: Bool
  private let text: UnsafeMutablePointer<FILE>
  private var problem: Int32 = 0

  init(_ path: String) throws(UsageError) {
    self.path = path
    var information = stat()
    let isRegular = stat(path, &information) != 0 || information.st_mode & S_IFMT == S_IFREG
    // Behind `/dev/stdout` may be a file, which yet must not be replaced.
    isReplaced = isRegular && !path.hasPrefix("/dev/") && !path.hasPrefix("/proc/")
    target = isReplaced ? Self.resolved(path) : path
    var file: UnsafeMutablePointer<FILE>?
    if isReplaced {
      // Beside its place, to see that there one can be made.
      let temporary = Self.temporary(target)
      file = fopen(temporary, "w+e")
      // Not if there is none: the reason is still to be told.
      if file != nil { unlink(temporary) }
    } else if access(target, W_OK) == 0 {
      file = tmpfile()
    }
    guard let file else { throw .input(Self.message(path, errno)) }
    text = file
  }

  deinit {
    fclose(text)
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
    let temporary = isReplaced ? Self.temporary(target) : target
    guard let file = fopen(temporary, isReplaced ? "we" : "ae") else { return errno }
    var problem = Self.write(heading, to: file) ?? copyText(to: file)
    if fclose(file) != 0, problem == 0 { problem = errno }
    guard isReplaced else { return problem }
    if problem == 0, rename(temporary, target) == 0 { return 0 }
    if problem == 0 { problem = errno }
    unlink(temporary)
    return problem
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

  private static func resolved(_ path: String) -> String {
    resolvedPath(path) ?? path
  }

  private static func temporary(_ path: String) -> String { "\(path).\(getpid()).part" }

  private static func message(_ path: String, _ code: Int32) -> String {
    "cannot write '\(path)': \(systemErrorText(code))"
  }
}
