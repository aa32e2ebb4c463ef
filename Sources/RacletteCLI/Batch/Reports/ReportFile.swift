import LuaRuntime
import Scripting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that a batch writes: beside its place at first, so that what was there stays until the new
/// one is whole, and so that one that cannot be written is noticed before any work is done.
final class ReportFile {
  let path: String
  private let temporary: String
  private var file: UnsafeMutablePointer<FILE>?
  private var problem: Int32 = 0

  init(_ path: String) throws(UsageError) {
    self.path = path
    temporary = "\(path).\(getpid()).part"
    file = fopen(temporary, "we")
    guard file != nil else {
      throw .input("cannot write '\(path)': \(systemErrorText(errno))")
    }
  }

  deinit { discard() }

  /// Leaves nothing behind, if it was not finished.
  func discard() {
    guard let file else { return }
    self.file = nil
    fclose(file)
    unlink(temporary)
  }

  func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      if let file, fwrite(bytes.baseAddress, 1, bytes.count, file) < bytes.count { problem = errno }
    }
  }

  /// Appends all of another file.
  func write(contentsOf other: ReportFile) {
    guard let source = fopen(other.temporary, "re") else { return }
    defer { fclose(source) }
    if let written = other.file { fflush(written) }
    var space = [UInt8](repeating: 0, count: 65_536)
    while let file {
      let count = fread(&space, 1, space.count, source)
      if count == 0 { break }
      if fwrite(space, 1, count, file) < count { problem = errno }
    }
    if other.problem != 0 { problem = other.problem }
  }

  /// Puts the file where it belongs.
  ///
  /// - Returns: what went wrong.
  func finish() -> String? {
    guard let file else { return nil }
    self.file = nil
    if fclose(file) != 0, problem == 0 { problem = errno }
    if problem == 0, rename(temporary, path) != 0 { problem = errno }
    guard problem != 0 else { return nil }
    unlink(temporary)
    return "cannot write '\(path)': \(systemErrorText(problem))"
  }
}
