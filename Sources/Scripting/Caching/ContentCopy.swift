import Digests
import Platform

/// Copies the content of files and computes its digest on the way.
enum ContentCopy {
  /// Makes the content of an empty file that of another one: as a clone, whose blocks both share, where
  /// the file system can, else as a copy whose pieces of zeros take no space.
  ///
  /// - Returns: the digest and the size of what was copied, or the system's error number.
  static func copy(
    from source: Int32, to target: Int32
  ) -> Result<CachedResult.Blob, ErrorNumber> {
    let isCloned = clone(source, target)
    var digest = SHA256()
    var size = 0
    let error: ErrorNumber? = withUnsafeTemporaryAllocation(byteCount: pieceSize, alignment: 64) {
      space in
      while true {
        let count = pread(isCloned ? target : source, space.baseAddress, space.count, off_t(size))
        if count < 0, errno == EINTR { continue }
        if count < 0 { return ErrorNumber(code: errno, isOfTarget: isCloned) }
        if count == 0 { break }
        let piece = UnsafeRawBufferPointer(rebasing: space[..<count])
        digest.update(piece)
        if !isCloned, !isZero(piece), !write(piece, to: target, at: size) {
          return ErrorNumber(code: errno, isOfTarget: true)
        }
        size += count
      }
      guard isCloned || ftruncate(target, off_t(size)) == 0 else {
        return ErrorNumber(code: errno, isOfTarget: true)
      }
      return nil
    }
    if let error { return .failure(error) }
    return .success(CachedResult.Blob(digest: digest.finish(), size: size))
  }

  struct ErrorNumber: Error {
    let code: Int32
    /// True if the file that is written is at fault.
    let isOfTarget: Bool
  }

  private static let pieceSize = 1 << 18

  private static func write(
    _ piece: UnsafeRawBufferPointer, to target: Int32, at place: Int
  ) -> Bool {
    var done = 0
    while done < piece.count {
      let rest = UnsafeRawBufferPointer(rebasing: piece[done...])
      let count = pwrite(target, rest.baseAddress, rest.count, off_t(place + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  private static func isZero(_ piece: UnsafeRawBufferPointer) -> Bool {
    guard let start = piece.baseAddress, piece[0] == 0 else { return false }
    return memcmp(start, start + 1, piece.count - 1) == 0
  }

  private static func clone(_ source: Int32, _ target: Int32) -> Bool {
    #if canImport(Glibc)
      ioctl(target, fileClone, source) == 0
    #else
      false
    #endif
  }

  /// `FICLONE`, a macro that Swift does not import: `_IOW(0x94, 9, int)`.
  private static let fileClone = UInt(0x4004_9409)
}
