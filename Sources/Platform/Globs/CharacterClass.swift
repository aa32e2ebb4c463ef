/// The classes of characters in the brackets of patterns, such as `[[:alpha:]]`. As in git and in the
/// C locale, they have ASCII characters only.
enum CharacterClass {
  /// The characters of a class; nil if there is no class of that name.
  static func ranges(named name: some Collection<UInt8>) -> [ClosedRange<UInt8>]? {
    switch String(decoding: name, as: UTF8.self) {
    case "alnum": digits + letters
    case "alpha": letters
    case "blank": [9...9, 32...32]
    case "cntrl": [0...31, 127...127]
    case "digit": digits
    case "graph": [33...126]
    case "lower": [97...122]
    case "print": [32...126]
    case "punct": [33...47, 58...64, 91...96, 123...126]
    case "space": [9...13, 32...32]
    case "upper": [65...90]
    case "xdigit": digits + [65...70, 97...102]
    default: nil
    }
  }

  private static let digits: [ClosedRange<UInt8>] = [48...57]
  private static let letters: [ClosedRange<UInt8>] = [65...90, 97...122]
}
