/// A stream that ends as soon as its client does: whatever the client holds by it is free then.
///
/// The client sends nothing behind its request.
protocol HeldStream: ByteStream {
  /// The client has left, or says that it wants nothing more.
  ///
  /// - Returns: true to end the response at once.
  func clientLeft() -> Bool
}

/// The bytes of another stream, for as long as the client is there. On the loop's thread.
final class HeldBytes: HeldStream {
  private let bytes: any ByteStream
  private let onComplete: () -> Void

  /// - Parameter onComplete: called when the client has been sent everything.
  init(_ bytes: any ByteStream, onComplete: @escaping () -> Void) {
    self.bytes = bytes
    self.onComplete = onComplete
  }

  var resume: () -> Void {
    get { bytes.resume }
    set { bytes.resume = newValue }
  }

  func read(into space: UnsafeMutableRawBufferPointer) -> Int? {
    let count = bytes.read(into: space)
    if count == nil { onComplete() }
    return count
  }

  func clientLeft() -> Bool { true }

  func ended() { bytes.ended() }
}
