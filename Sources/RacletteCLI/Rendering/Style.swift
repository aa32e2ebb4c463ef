#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Colours of what the runner says, or none.
struct Style: Sendable {
  let isColored: Bool

  /// `--color` first, then `NO_COLOR` and `FORCE_COLOR`, then whether the stream is a terminal.
  init(option: String?, descriptor: Int32) {
    switch option {
    case "always": isColored = true
    case "never": isColored = false
    default:
      if Self.isSet("NO_COLOR") {
        isColored = false
      } else if Self.isSet("FORCE_COLOR") {
        isColored = true
      } else {
        isColored = isatty(descriptor) == 1
      }
    }
  }

  private static func isSet(_ name: String) -> Bool {
    getenv(name).map { $0.pointee != 0 } ?? false
  }

  func error(_ text: String) -> String { wrap(text, "1;31") }
  func warning(_ text: String) -> String { wrap(text, "1;33") }
  func faint(_ text: String) -> String { wrap(text, "2") }
  func strong(_ text: String) -> String { wrap(text, "1") }
  func good(_ text: String) -> String { wrap(text, "32") }

  private func wrap(_ text: String, _ code: String) -> String {
    isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
