/// Reads a regular file and passes its content in pieces to `body`; the pieces are valid during the
/// call.
///
/// - Returns: 0, or the system's error number: `EISDIR` for a folder, `EINVAL` for other things that
///   are no regular files, which would block.
public func readFile(
  _ path: String, pieceSize: Int = 1 << 18, _ body: (UnsafeRawBufferPointer) -> Void
) -> Int32 {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  guard descriptor >= 0 else { return errno }
  defer { close(descriptor) }
  var information = stat()
  guard fstat(descriptor, &information) == 0 else { return errno }
  switch information.kind {
  case .regular: break
  case .folder: return EISDIR
  case .link, .other: return EINVAL
  }
  let size = max(min(pieceSize, Int(information.st_size) + 1), 512)
  return withUnsafeTemporaryAllocation(byteCount: size, alignment: 64) { space in
    while true {
      let count = readBytes(from: descriptor, into: space)
      if count < 0, errno == EINTR { continue }
      if count < 0 { return errno }
      if count == 0 { return 0 }
      body(UnsafeRawBufferPointer(rebasing: space[..<count]))
    }
  }
}

/// The content of a regular file; nil, with `errno`, if it cannot be read.
public func fileContent(_ path: String) -> [UInt8]? {
  var content: [UInt8] = []
  let code = readFile(path) { content += $0 }
  errno = code
  return code == 0 ? content : nil
}
