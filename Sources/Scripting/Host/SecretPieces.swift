/// A text that comes in pieces, cut anew so that no secret is cut: the end of a piece that may be the
/// beginning of a secret waits for the next one.
public struct SecretPieces {
  private var open: [UInt8] = []

  /// Pieces of a new text.
  public init() {}

  /// Adds a piece, and calls `body` with what can be masked by itself, if there is anything; it is valid
  /// only during the call.
  public mutating func add(
    _ piece: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    if open.isEmpty {
      hand(piece, body)
    } else {
      let text = open + piece
      text.withUnsafeBytes { hand($0, body) }
    }
  }

  private mutating func hand(
    _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    let end = text.count - Secrets.openEnd(of: text)
    open = Array(text[end...])
    if end > 0 { body(UnsafeRawBufferPointer(rebasing: text[..<end])) }
  }

  /// Ends the text, and calls `body` with what waits, if there is anything.
  public mutating func finish(_ body: (UnsafeRawBufferPointer) -> Void) {
    guard !open.isEmpty else { return }
    let rest = open
    open = []
    rest.withUnsafeBytes(body)
  }
}
