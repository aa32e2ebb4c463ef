/// Splits a text that arrives in pieces so that no secret is split: the end of a piece that may be
/// the beginning of a secret waits for the next piece.
public struct SecretPieces {
  private var open: [UInt8] = []

  /// Begins a new text.
  public init() {}

  /// Adds a piece, and calls `body` with the part that can be masked by itself, if there is any;
  /// the bytes are valid only during the call.
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

  /// Ends the text, and calls `body` with the waiting part, if there is any.
  public mutating func finish(_ body: (UnsafeRawBufferPointer) -> Void) {
    guard !open.isEmpty else { return }
    let rest = open
    open = []
    rest.withUnsafeBytes(body)
  }
}
