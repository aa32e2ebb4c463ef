import Digests
import Platform

/// Copies the content of files, one after the other, and computes its digest on the way. Confined to one
/// thread.
final class ContentCopy {
  private let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)

  deinit { space.deallocate() }

  struct ErrorNumber: Error {
    let code: Int32
    /// True if the file that is written is at fault.
    let isOfTarget: Bool
  }

  /// Makes the content of an empty file that of another one: as a clone, whose blocks both share, where
  /// the file system can, else as a copy whose pieces of zeros take no space.
  ///
  /// - Returns: the digest and the size of what was copied.
  func copy(from source: Int32, to target: Int32) throws(ErrorNumber) -> CachedResult.Blob {
    let isCloned = Self.clone(source, target)
    var digest = SHA256()
    var size = 0
    while true {
      // Also of a clone: the system may have the content of the source in memory.
      let piece = try read(source, at: size)
      if piece.isEmpty { break }
      digest.update(piece)
      if !isCloned { try Self.write(piece, to: target, at: size) }
      size += piece.count
    }
    if !isCloned { try Self.end(target, at: size) }
    return CachedResult.Blob(digest: digest.finish(), size: size)
  }

  /// The whole content of a file, until the next call.
  ///
  /// - Parameter size: what the system says of the file.
  /// - Returns: nil if it has no place in memory.
  func content(of source: Int32, size: Int) throws(ErrorNumber) -> UnsafeRawBufferPointer? {
    guard size < space.count else { return nil }
    var count = 0
    while count < space.count {
      let got = pread(
        source, space.baseAddress.map { $0 + count }, space.count - count, off_t(count))
      if got < 0, errno == EINTR { continue }
      if got < 0 { throw ErrorNumber(code: errno, isOfTarget: false) }
      if got == 0 { return UnsafeRawBufferPointer(rebasing: space[..<count]) }
      count += got
    }
    return nil
  }

  /// Makes the content of an empty file that of another one, whose content is at hand.
  func put(
    _ content: UnsafeRawBufferPointer, of source: Int32, to target: Int32
  ) throws(ErrorNumber) {
    if Self.clone(source, target) { return }
    var place = 0
    while place < content.count {
      let end = min(place + Self.pieceSize, content.count)
      try Self.write(UnsafeRawBufferPointer(rebasing: content[place..<end]), to: target, at: place)
      place = end
    }
    try Self.end(target, at: content.count)
  }

  private static let pieceSize = 1 << 18

  private func read(
    _ file: Int32, at place: Int
  ) throws(ErrorNumber) -> UnsafeRawBufferPointer {
    while true {
      let count = pread(file, space.baseAddress, Self.pieceSize, off_t(place))
      if count >= 0 { return UnsafeRawBufferPointer(rebasing: space[..<count]) }
      guard errno == EINTR else { throw ErrorNumber(code: errno, isOfTarget: false) }
    }
  }

  private static func write(
    _ piece: UnsafeRawBufferPointer, to target: Int32, at place: Int
  ) throws(ErrorNumber) {
    if isZero(piece) { return }
    var done = 0
    while done < piece.count {
      let rest = UnsafeRawBufferPointer(rebasing: piece[done...])
      let count = pwrite(target, rest.baseAddress, rest.count, off_t(place + done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw ErrorNumber(code: errno, isOfTarget: true) }
      done += count
    }
  }

  /// Gives a file its size, if it ends with zeros that were not written.
  private static func end(_ target: Int32, at size: Int) throws(ErrorNumber) {
    guard ftruncate(target, off_t(size)) == 0 else {
      throw ErrorNumber(code: errno, isOfTarget: true)
    }
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
