import Platform

/// What a make wants of the programs that take part in it while it executes nothing itself: it
/// executes recipe lines with `+` all the same, and leaves the rest to them.
package enum MakeMode: String, Sendable {
  /// `make -n`: print what would be executed.
  case dryRun = "n"
  /// `make -t`: mark the targets as up to date. Commands have no such mark.
  case touch = "t"
  /// `make -q`: succeed only if nothing would be executed.
  case question = "q"

  /// The mode of the make that has started this program; nil if it executes, or if there is none.
  package static var ofCaller: MakeMode? { isUnderMake ? inFlags : nil }

  /// The mode in a `MAKEFLAGS` that no make has set; nil if there is none.
  package static var ignored: MakeMode? { isUnderMake ? nil : inFlags }

  /// The option of make.
  package var option: String { "-\(rawValue)" }

  /// True if a make has started this program, directly or through others.
  package static var isUnderMake: Bool {
    environment("MAKELEVEL").flatMap { Int($0) }.map { $0 > 0 } ?? false
  }

  private static var inFlags: MakeMode? {
    environment("MAKEFLAGS").flatMap(MakeMode.init(flags:))
  }

  /// Reads the value of `MAKEFLAGS`. make writes its options of one letter as the first word, without
  /// a hyphen; before it is a blank if there are none. People also write options as in a command line.
  package init?(flags: String) {
    let words = flags.split(separator: " ", omittingEmptySubsequences: false)
    var options = Array(words.prefix { $0 != "--" })
    if let letters = options.first, !letters.hasPrefix("-"), !letters.contains("=") {
      options[0] = "-" + letters
    }
    let modes = options.flatMap(Self.modes)
    // The mode that does the least, if there are several.
    guard let mode = [MakeMode.question, .dryRun, .touch].first(where: { modes.contains($0) })
    else { return nil }
    self = mode
  }

  private static func modes(in option: Substring) -> [MakeMode] {
    switch option {
    case "--just-print", "--dry-run", "--recon": return [.dryRun]
    case "--touch": return [.touch]
    case "--question": return [.question]
    default: break
    }
    guard option.hasPrefix("-"), !option.hasPrefix("--") else { return [] }
    // What follows a letter with a value is the value.
    return option.dropFirst().prefix { !"CEIOWfjlo".contains($0) }
      .compactMap { MakeMode(rawValue: String($0)) }
  }
}
