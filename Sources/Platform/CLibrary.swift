// The system's C library, for every module: things that differ between systems have one name here.
#if canImport(Glibc)
  @preconcurrency @_exported import Glibc
#else
  @preconcurrency @_exported import Darwin
#endif

#if canImport(Glibc)
  /// The system's `mode_t`, by its own type: Swift knows two declarations of that name, and which
  /// one it takes depends on the order in which it reads files.
  public typealias FilePermissions = UInt32
#else
  /// The system's `mode_t`.
  public typealias FilePermissions = UInt16
#endif

/// The C library's standard output, which it declares as a variable.
public var standardOutput: UnsafeMutablePointer<FILE> { stdout }

/// True if code of C has read from its standard input, which keeps more of it than was asked for.
public var isStandardInputBuffered: Bool {
  #if canImport(Glibc)
    stdin.pointee._IO_buf_base != nil
  #else
    stdin.pointee._bf._base != nil
  #endif
}

/// The system's `read`.
///
/// - Returns: the number of bytes, 0 at the end, or a negative number and `errno`.
public func readBytes(from descriptor: Int32, into space: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, space.baseAddress, space.count)
}

/// The system's `write`.
///
/// - Returns: the number of bytes written, or a negative number and `errno`.
public func writeBytes(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}

/// Asks for room for some bytes in a pipe, of which the system may grant less. On systems other than
/// Linux, a pipe keeps its size.
///
/// - Returns: false if the system refuses.
@discardableResult
public func growPipe(_ descriptor: Int32, to bytes: Int) -> Bool {
  #if os(Linux)
    // `F_SETPIPE_SZ`, which Swift does not see.
    fcntl(descriptor, 1031, Int32(clamping: bytes)) >= 0
  #else
    false
  #endif
}

/// Writes all bytes to a file, with as many calls as that takes.
///
/// - Returns: the error number; 0 for success.
public func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
  bytes.withUnsafeBytes { bytes in
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = writeBytes(UnsafeRawBufferPointer(rebasing: rest), to: descriptor)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 ? errno : EIO }
      rest = rest.dropFirst(count)
    }
    return 0
  }
}

extension stat {
  /// The time of the content's last change.
  public var modificationTime: timespec {
    #if canImport(Glibc)
      st_mtim
    #else
      st_mtimespec
    #endif
  }

  /// The time of the last change of the content or of what the system knows of the file.
  public var changeTime: timespec {
    #if canImport(Glibc)
      st_ctim
    #else
      st_ctimespec
    #endif
  }
}

/// What kind of file something is, as far as this module distinguishes it.
package enum FileKind {
  case regular, folder, link, other
}

extension stat {
  /// The kind of file.
  package var kind: FileKind {
    switch st_mode & S_IFMT {
    case S_IFREG: .regular
    case S_IFDIR: .folder
    case S_IFLNK: .link
    default: .other
    }
  }
}

/// Returns true if the process leaves a signal to the system's default action.
public func hasDefaultAction(_ signal: Int32) -> Bool { plainHandler(of: signal) == 0 }

/// Returns true if the process ignores a signal, as programs started by `nohup` ignore SIGHUP.
public func isIgnored(_ signal: Int32) -> Bool {
  plainHandler(of: signal) == unsafeBitCast(SIG_IGN, to: Int.self)
}

private func plainHandler(of signal: Int32) -> Int {
  var action = sigaction()
  sigaction(signal, nil, &action)
  #if canImport(Glibc)
    let handler = action.__sigaction_handler.sa_handler
  #else
    let handler = action.__sigaction_u.__sa_handler
  #endif
  return handler.map { unsafeBitCast($0, to: Int.self) } ?? 0
}

#if canImport(Glibc)
  /// The limit of open descriptors, for `getrlimit`.
  public var descriptorLimit: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
  /// The key of a terminal's function that no key has (`_POSIX_VDISABLE`).
  public let disabledKey: cc_t = 0
#else
  /// The limit of open descriptors, for `getrlimit`.
  public var descriptorLimit: Int32 { RLIMIT_NOFILE }
  /// The key of a terminal's function that no key has (`_POSIX_VDISABLE`).
  public let disabledKey: cc_t = 0xFF
#endif
