/// The keys that terminals report by control characters and by sequences, as xterm, kitty and the Linux
/// console send them.
extension Key {
  /// The key of a control character.
  init(control byte: UInt8) {
    switch byte {
    case 13: self.init(.enter)
    case 9: self.init(.tab)
    case 8: self = .control("h")
    case 127: self.init(.backspace)
    case 0: self = .control(" ")
    case 1...26: self = .control(Unicode.Scalar(byte + 96))
    default: self = .control(Unicode.Scalar(byte + 64))
    }
  }

  /// The key of `ESC O` and a final byte; nil if it reports none.
  init?(applicationKey final: UInt8) {
    guard let code = Self.code(ofFinal: final) else { return nil }
    self.init(code)
  }

  /// The key of a control sequence; nil if it reports none.
  init?(_ parameters: ArraySlice<UInt8>, final: UInt8) {
    let numbers = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)) ?? 1 }
    let code: Code?
    var modifiers = Modifiers(reported: numbers.count > 1 ? numbers[1] : 1)
    switch final {
    case UInt8(ascii: "~") where numbers.first == 27 && numbers.count == 3:
      code = Self.code(ofCharacter: numbers[2])
    case UInt8(ascii: "~"): code = numbers.first.flatMap(Self.code(ofNumber:))
    case UInt8(ascii: "u"): code = numbers.first.flatMap(Self.code(ofCharacter:))
    case UInt8(ascii: "Z"):
      code = .tab
      modifiers.insert(.shift)
    default: code = Self.code(ofFinal: final)
    }
    guard let code else { return nil }
    self.init(code, modifiers)
  }

  /// A character by its number, in the form used by terminals that report all modifiers.
  private static func code(ofCharacter number: Int) -> Code? {
    switch number {
    case 13: return .enter
    case 9: return .tab
    case 27: return .escape
    case 127: return .backspace
    default:
      guard number >= 32, let scalar = UInt32(exactly: number).flatMap(Unicode.Scalar.init) else {
        return nil
      }
      return .character(scalar)
    }
  }

  private static func code(ofFinal byte: UInt8) -> Code? {
    switch Unicode.Scalar(byte) {
    case "A": .up
    case "B": .down
    case "C": .right
    case "D": .left
    case "H": .home
    case "F": .end
    case "M": .enter
    case "P": .function(1)
    case "Q": .function(2)
    case "R": .function(3)
    case "S": .function(4)
    default: nil
    }
  }

  private static func code(ofNumber number: Int) -> Code? {
    switch number {
    case 1, 7: .home
    case 2: .insert
    case 3: .delete
    case 4, 8: .end
    case 5: .pageUp
    case 6: .pageDown
    case 11...15: .function(number - 10)
    case 17...21: .function(number - 11)
    case 23, 24: .function(number - 12)
    default: nil
    }
  }
}

extension Key.Modifiers {
  /// The modifiers of a report, whose number is one more than their bits.
  fileprivate init(reported number: Int) {
    self.init(rawValue: UInt8(truncatingIfNeeded: max(1, number) - 1) & 7)
  }
}
