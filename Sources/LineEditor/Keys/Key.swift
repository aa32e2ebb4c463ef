/// A key as the terminal reports it, with its modifiers.
public struct Key: Hashable, Sendable {
  /// The key without its modifiers.
  public enum Code: Hashable, Sendable {
    /// A character that the key types, or the letter that Control or Alt modifies.
    case character(Unicode.Scalar)
    case enter, tab, backspace, escape, delete, insert
    case up, down, left, right, home, end, pageUp, pageDown
    case function(Int)
  }

  /// The modifiers held with a key.
  public struct Modifiers: OptionSet, Hashable, Sendable {
    /// The bits of the set.
    public let rawValue: UInt8
    /// Creates a set of these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The Shift key.
    public static let shift = Modifiers(rawValue: 1)
    /// The Alt key, or an Escape typed before.
    public static let alt = Modifiers(rawValue: 2)
    /// The Control key.
    public static let control = Modifiers(rawValue: 4)
  }

  /// The key itself.
  public var code: Code
  /// The modifiers held with it.
  public var modifiers: Modifiers

  /// Creates a key with modifiers.
  public init(_ code: Code, _ modifiers: Modifiers = []) {
    self.code = code
    self.modifiers = modifiers
  }

  /// A letter with Control.
  public static func control(_ letter: Unicode.Scalar) -> Key { Key(.character(letter), .control) }
  /// A letter with Alt.
  public static func alt(_ letter: Unicode.Scalar) -> Key { Key(.character(letter), .alt) }
  /// A character without modifiers.
  public static func typed(_ scalar: Unicode.Scalar) -> Key { Key(.character(scalar)) }
}

// MARK: - Names

extension Key {
  /// Parses Emacs notation: `C-t`, `M-f`, `S-Tab`, `C-M-Left`, `F5`, `a`.
  ///
  /// - Returns: nil if the text names no key.
  public init?(named name: some StringProtocol) {
    var rest = name[...]
    var modifiers: Modifiers = []
    while rest.unicodeScalars.count > 2, rest.dropFirst().first == "-", let letter = rest.first {
      switch letter {
      case "C": modifiers.insert(.control)
      case "M", "A": modifiers.insert(.alt)
      case "S": modifiers.insert(.shift)
      default: return nil
      }
      rest = rest.dropFirst(2)
    }
    if let code = Self.codes[rest.lowercased()] {
      self.init(code, modifiers)
    } else if rest.unicodeScalars.count == 1, let scalar = rest.unicodeScalars.first {
      self.init(.character(scalar), modifiers)
    } else if rest.first == "F" || rest.first == "f", let number = Int(rest.dropFirst()),
      (1...24).contains(number)
    {
      self.init(.function(number), modifiers)
    } else {
      return nil
    }
  }

  /// Parses a sequence of keys, separated by spaces: `C-x C-e`.
  public static func sequence(named name: some StringProtocol) -> [Key]? {
    var keys: [Key] = []
    for word in name.split(separator: " ") {
      guard let key = Key(named: word) else { return nil }
      keys.append(key)
    }
    return keys.isEmpty ? nil : keys
  }

  private static let codes: [String: Code] = [
    "enter": .enter, "return": .enter, "ret": .enter, "tab": .tab, "backspace": .backspace,
    "escape": .escape, "esc": .escape, "delete": .delete, "del": .delete, "insert": .insert,
    "up": .up, "down": .down, "left": .left, "right": .right, "home": .home, "end": .end,
    "pageup": .pageUp, "pagedown": .pageDown, "space": .character(" "),
  ]
}
