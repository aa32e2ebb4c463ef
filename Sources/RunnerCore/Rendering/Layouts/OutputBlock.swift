import Platform

/// The output of an execution on both streams, in order: in memory while it is small, otherwise in
/// an unnamed file, so that memory use stays flat.
package final class OutputBlock {
  enum Stream: UInt8 {
    case values, errors
  }

  private static let memoryLimit = 1 << 20

  /// Pieces of one stream: a byte for the stream, eight for the length, and the bytes.
  private var memory: [UInt8] = []
  private var file: UnsafeMutablePointer<FILE>?
  private(set) var isEmpty = true

  deinit {
    if let file { fclose(file) }
  }

  func append(_ bytes: UnsafeRawBufferPointer, _ stream: Stream) {
    isEmpty = false
    memory.append(stream.rawValue)
    withUnsafeBytes(of: Int64(bytes.count)) { memory += $0 }
    memory += bytes
    if memory.count > Self.memoryLimit { spill() }
  }

  /// Calls `body` with each piece.
  func replay(_ body: (UnsafeRawBufferPointer, Stream) -> Void) {
    if let file {
      rewind(file)
      while let piece = readPiece(file) { piece.bytes.withUnsafeBytes { body($0, piece.stream) } }
    }
    memory.withUnsafeBytes { bytes in
      var rest = bytes
      while rest.count >= 9 {
        let count = Int(rest.loadUnaligned(fromByteOffset: 1, as: Int64.self))
        let piece = UnsafeRawBufferPointer(rebasing: rest[9..<(9 + count)])
        body(piece, Stream(rawValue: rest[0]) ?? .values)
        rest = UnsafeRawBufferPointer(rebasing: rest[(9 + count)...])
      }
    }
  }

  private func spill() {
    if file == nil { file = tmpfile() }
    // Without a file, or with a full disk, it stays in memory.
    guard let file else { return }
    let length = ftello(file)
    guard fwrite(memory, 1, memory.count, file) == memory.count, fflush(file) == 0 else {
      clearerr(file)
      ftruncate(fileno(file), length)
      fseeko(file, length, SEEK_SET)
      return
    }
    memory.removeAll(keepingCapacity: true)
  }

  private func readPiece(
    _ file: UnsafeMutablePointer<FILE>
  ) -> (bytes: [UInt8], stream: Stream)? {
    var header = [UInt8](repeating: 0, count: 9)
    guard fread(&header, 1, 9, file) == 9 else { return nil }
    let count = header.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: 1, as: Int64.self)) }
    var bytes = [UInt8](repeating: 0, count: count)
    guard fread(&bytes, 1, count, file) == count else { return nil }
    return (bytes, Stream(rawValue: header[0]) ?? .values)
  }
}
