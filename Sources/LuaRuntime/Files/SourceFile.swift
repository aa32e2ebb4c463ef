import Platform

/// Reads whole text files. Folders, devices and, if a regular file is expected, FIFOs are refused
/// at once: reading them may block or never end.
public enum SourceFile {
  /// The kinds of file that may be read.
  public enum Kind: Sendable {
    case regularFile
    /// Also a pipe, or the terminal, where text arrives in pieces.
    case regularFileOrStream
    /// Any file that is standard input.
    case standardInput
  }

  /// The reason why a file cannot be read.
  public struct Problem: Error, CustomStringConvertible {
    /// The reason, in lower case.
    public let description: String
    /// The system's error number; nil for a file of the wrong kind.
    public let code: Int32?

    /// True if there is no file at the path.
    public var isAbsence: Bool { code == ENOENT || code == ENOTDIR }

    init(_ description: String) {
      self.description = description
      code = nil
    }

    init(code: Int32) {
      description = systemErrorText(code)
      self.code = code
    }
  }

  /// The most bytes that a text may have.
  public static let largest = 1 << 30

  /// Opens a file for reading. The caller closes the descriptor.
  public static func open(_ path: String, _ kind: Kind) throws(Problem) -> Int32 {
    // Without blocking, as opening a FIFO without a writer would.
    var flags = O_RDONLY | O_CLOEXEC | O_NOCTTY
    if kind == .regularFile { flags |= O_NONBLOCK }
    guard !path.utf8.contains(0) else { throw Problem("the name contains a zero byte") }
    let descriptor = retryingInterrupted { systemOpen(path, flags) }
    guard descriptor >= 0 else { throw Problem(code: errno) }
    do {
      try check(descriptor, kind)
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Returns the bytes of a file.
  public static func read(_ path: String, _ kind: Kind) throws(Problem) -> ContiguousArray<UInt8> {
    let descriptor = try open(path, kind)
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { throw Problem(code: errno) }
    var bytes = ContiguousArray<UInt8>()
    let step = min(max(Int(information.st_size) + 1, 16384), largest)
    while bytes.count <= largest {
      let known = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: step))
      let count = bytes.withUnsafeMutableBytes { space in
        retryingInterrupted { systemRead(descriptor, space.baseAddress! + known, step) }
      }
      bytes.removeLast(step - max(count, 0))
      guard count >= 0 else { throw Problem(code: errno) }
      if count == 0 { return bytes }
    }
    throw Problem("is larger than \(largest >> 30) GiB")
  }

  private static func check(_ descriptor: Int32, _ kind: Kind) throws(Problem) {
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { throw Problem(code: errno) }
    switch information.st_mode & S_IFMT {
    case S_IFREG: return
    case S_IFDIR: throw Problem(code: EISDIR)
    case S_IFIFO where kind == .regularFile: throw Problem("is a FIFO, not a regular file")
    case S_IFSOCK where kind == .regularFile: throw Problem("is a socket, not a regular file")
    case S_IFIFO, S_IFSOCK: return
    case _ where kind == .standardInput: return
    default:
      if kind == .regularFileOrStream, isatty(descriptor) == 1 { return }
      throw Problem("is a device, not a regular file")
    }
  }

  private static func retryingInterrupted<Result: BinaryInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }
}

// Inside the type these names refer to its own functions.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }

private func systemRead(_ descriptor: Int32, _ space: UnsafeMutableRawPointer, _ count: Int) -> Int
{
  read(descriptor, space, count)
}
