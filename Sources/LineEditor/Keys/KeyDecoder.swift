/// An event decoded from the bytes of a terminal.
public enum InputEvent: Equatable, Sendable {
  case key(Key)
  /// Many characters that arrived at once and were not marked as pasted.
  case text(String)
  /// A text that the terminal marked as pasted, unchanged.
  case paste([UInt8])
}

/// Decodes the bytes that a terminal sends into keys and pastes.
///
/// Unknown sequences are dropped whole, so none of them becomes text. Bytes that are not UTF-8
/// become U+FFFD.
public struct KeyDecoder {
  private var bytes: [UInt8] = []
  private var start = 0
  private var paste: PasteState = .none
  /// True when the pending bytes were abandoned: a paste that starts with them is dropped.
  private var isMarkDiscarded = false

  private enum PasteState {
    case none
    /// Inside a paste; bytes before this offset contain no complete end mark.
    case pasting(scanned: Int)
    /// The user abandoned the paste: everything up to the end mark is dropped.
    case discarding
  }

  private static let pasteStart = Array("\u{1B}[200~".utf8)
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  /// Creates a decoder without input.
  public init() {}

  /// Adds bytes received from the terminal.
  public mutating func feed(_ chunk: some Collection<UInt8>) {
    if start > 0, start == bytes.count {
      bytes.removeAll(keepingCapacity: bytes.count <= 65_536)
      start = 0
      if case .pasting = paste { paste = .pasting(scanned: 0) }
    }
    bytes.append(contentsOf: chunk)
  }

  /// True when a pending Escape may begin a sequence or be the key itself.
  public var hasPendingEscape: Bool {
    if case .none = paste { return start < bytes.count && bytes[start] == 0x1B }
    return false
  }

  /// Returns the bytes that are not decoded yet, and forgets them.
  public mutating func takeRest() -> [UInt8] {
    defer { (bytes, start, paste) = ([], 0, .none) }
    return Array(bytes[start...])
  }

  /// Forgets the pending bytes and the rest of a paste that is still to arrive.
  public mutating func discard() {
    if isInsidePaste {
      paste = .discarding
      skipDiscardedPaste()
    } else {
      paste = .none
      start = bytes.count - lengthOfPartialPasteStart
      isMarkDiscarded = start < bytes.count
    }
  }

  /// Ends a paste whose rest will not arrive, without delivering it.
  public mutating func abandonPaste() {
    if case .none = paste { return }
    (bytes, start, paste) = ([], 0, .none)
  }

  /// The number of last bytes that may begin a paste mark whose rest is still to arrive.
  private var lengthOfPartialPasteStart: Int {
    let longest = min(Self.pasteStart.count - 1, bytes.count - start)
    return (0...longest).last { bytes.suffix($0).elementsEqual(Self.pasteStart.prefix($0)) } ?? 0
  }

  /// True when the bytes so far end inside a paste.
  private var isInsidePaste: Bool {
    var isInside = if case .none = paste { false } else { true }
    var position = start
    while position < bytes.count {
      if bytes[position] == 0x1B {
        if bytes[position...].starts(with: Self.pasteStart) { isInside = true }
        if bytes[position...].starts(with: Self.pasteEnd) { isInside = false }
      }
      position += 1
    }
    return isInside
  }

  /// Returns the next event; nil if it needs more bytes.
  ///
  /// - Parameter escapeIsKey: true if no more bytes of a started sequence are expected, so that an
  ///   Escape is the key.
  public mutating func next(escapeIsKey: Bool = false) -> InputEvent? {
    while true {
      switch paste {
      case .discarding:
        skipDiscardedPaste()
        if case .discarding = paste { return nil }
      case .pasting(let scanned):
        guard let end = range(of: Self.pasteEnd, from: max(start, scanned)) else {
          paste = .pasting(scanned: max(start, bytes.count - Self.pasteEnd.count + 1))
          return nil
        }
        let text = Array(bytes[start..<end])
        start = end + Self.pasteEnd.count
        paste = .none
        return .paste(text)
      case .none:
        guard start < bytes.count else { return nil }
        if let text = takeText() { return .text(text) }
        switch decode(escapeIsKey: escapeIsKey) {
        case .incomplete: return nil
        case .nothing: isMarkDiscarded = false
        case .key(let key):
          isMarkDiscarded = false
          return .key(key)
        }
      }
    }
  }

  /// The number of characters from which typed text is delivered as one event.
  private static let longText = 32

  /// Consumes printable ASCII characters if there are many.
  private mutating func takeText() -> String? {
    let run = bytes[start...].prefix { (0x20..<0x7F).contains($0) }
    guard run.count >= Self.longText else { return nil }
    start = run.endIndex
    return String(decoding: run, as: UTF8.self)
  }

  private mutating func skipDiscardedPaste() {
    if let end = range(of: Self.pasteEnd, from: start) {
      start = end + Self.pasteEnd.count
      paste = .none
    } else {
      // A part of the mark itself may have arrived.
      bytes.removeFirst(max(start, bytes.count - Self.pasteEnd.count + 1))
      start = 0
    }
  }

  private func range(of mark: [UInt8], from position: Int) -> Int? {
    var position = position
    while let found = bytes[position...].firstIndex(of: mark[0]) {
      if bytes[found...].starts(with: mark) { return found }
      position = found + 1
    }
    return nil
  }

  // MARK: Keys

  private enum Decoded {
    case key(Key)
    /// Dropped bytes without a meaning.
    case nothing
    case incomplete
  }

  private mutating func decode(escapeIsKey: Bool) -> Decoded {
    let byte = bytes[start]
    if byte == 0x1B { return decodeEscape(escapeIsKey: escapeIsKey) }
    return decodeCharacter(at: start, modifiers: [])
  }

  /// Decodes one character or control key, and consumes its bytes and those before it.
  private mutating func decodeCharacter(at position: Int, modifiers: Key.Modifiers) -> Decoded {
    let byte = bytes[position]
    if byte < 0x20 || byte == 0x7F {
      start = position + 1
      var key = Key(control: byte)
      key.modifiers.formUnion(modifiers)
      return .key(key)
    }
    let length = Self.length(startingWith: byte)
    guard length > 1 else {
      start = position + 1
      let scalar = length == 1 ? Unicode.Scalar(byte) : "\u{FFFD}"
      return .key(Key(.character(scalar), modifiers))
    }
    let tail = position + 1..<min(position + length, bytes.count)
    if let end = tail.first(where: { bytes[$0] & 0xC0 != 0x80 }) {
      start = end
      return .key(Key(.character("\u{FFFD}"), modifiers))
    }
    guard position + length <= bytes.count else { return .incomplete }
    start = position + length
    let text = String(decoding: bytes[position..<start], as: UTF8.self)
    return .key(Key(.character(text.unicodeScalars.first ?? "\u{FFFD}"), modifiers))
  }

  /// The length in bytes of a character whose first byte this is; 0 if no character starts with it.
  private static func length(startingWith byte: UInt8) -> Int {
    switch byte {
    case ..<0x80: 1
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 0
    }
  }

  private mutating func decodeEscape(escapeIsKey: Bool) -> Decoded {
    guard start + 1 < bytes.count else {
      guard escapeIsKey else { return .incomplete }
      start += 1
      return .key(Key(.escape))
    }
    switch bytes[start + 1] {
    case UInt8(ascii: "["): return decodeControlSequence(from: start + 2, escapeIsKey)
    case UInt8(ascii: "O"): return decodeApplicationKey(escapeIsKey)
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"):
      return skipString(escapeIsKey)
    case 0x1B:
      // Escape, then a sequence: Alt with that key. A separate Escape comes first.
      guard start + 2 < bytes.count || escapeIsKey else { return .incomplete }
      start += 1
      return .key(Key(.escape))
    default: return decodeCharacter(at: start + 1, modifiers: .alt)
    }
  }

  /// `ESC O X`, which keypads and function keys send.
  private mutating func decodeApplicationKey(_ escapeIsKey: Bool) -> Decoded {
    guard start + 2 < bytes.count else {
      guard escapeIsKey else { return .incomplete }
      start += 2
      return .key(Key(.character("O"), .alt))
    }
    let final = bytes[start + 2]
    start += 3
    return Key(applicationKey: final).map { .key($0) } ?? .nothing
  }

  /// `ESC [ parameters final`.
  private mutating func decodeControlSequence(from first: Int, _ escapeIsKey: Bool) -> Decoded {
    var end = first
    // The Linux console's function keys: ESC [ [ A.
    if end < bytes.count, bytes[end] == UInt8(ascii: "[") { end += 1 }
    while end < bytes.count, (0x20...0x3F).contains(bytes[end]) { end += 1 }
    guard end < bytes.count else {
      // Nobody types parameters: the missing bytes are delayed by a slow line.
      guard escapeIsKey, end == first else { return .incomplete }
      start = bytes.count
      return .nothing
    }
    guard (0x40...0x7E).contains(bytes[end]) else {
      // A control character aborts the sequence and is decoded by itself.
      start = end
      return .nothing
    }
    let parameters = bytes[first..<end]
    let final = bytes[end]
    let sequence = bytes[start...end]
    start = end + 1
    if sequence.elementsEqual(Self.pasteStart) {
      paste = isMarkDiscarded ? .discarding : .pasting(scanned: start)
      return .nothing
    }
    return Key(parameters, final: final).map { .key($0) } ?? .nothing
  }

  /// Skips replies and reports of the terminal, up to BEL or ESC \.
  private mutating func skipString(_ escapeIsKey: Bool) -> Decoded {
    var end = start + 2
    while end < bytes.count {
      if bytes[end] == 7 {
        start = end + 1
        return .nothing
      }
      if bytes[end] == 0x1B, end + 1 < bytes.count {
        start = bytes[end + 1] == UInt8(ascii: "\\") ? end + 2 : end
        return .nothing
      }
      end += 1
    }
    guard escapeIsKey else { return .incomplete }
    // Alt with that character, then the text typed after it.
    return decodeCharacter(at: start + 1, modifiers: .alt)
  }
}
