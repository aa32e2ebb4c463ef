import Platform

/// The colours of the runner's messages, or none.
package struct Style: Sendable {
  package let isColored: Bool
  /// True if the user has disabled colours.
  private let isForbidden: Bool

  /// Decides by `--color`, then by `NO_COLOR` and `FORCE_COLOR`, then by whether the stream is a
  /// terminal.
  package init(option: String?, descriptor: Int32) {
    isForbidden = option == "never"
    switch option {
    case "always": isColored = true
    case "never": isColored = false
    default:
      if environment("NO_COLOR") != nil {
        isColored = false
      } else if environment("FORCE_COLOR") != nil {
        isColored = true
      } else {
        isColored = isatty(descriptor) == 1 && environment("TERM") != "dumb"
      }
    }
  }

  /// Passes the decision for standard output, which is a pipe for children, to them in environment
  /// variables, unless these are already set.
  package func passOn() {
    if isColored {
      unsetenv("NO_COLOR")
      setenv("FORCE_COLOR", "1", 0)
      setenv("CLICOLOR_FORCE", "1", 0)
    } else if isForbidden {
      unsetenv("FORCE_COLOR")
      unsetenv("CLICOLOR_FORCE")
      setenv("NO_COLOR", "1", 1)
    }
  }

  package func error(_ text: String) -> String { wrap(text, "1;31") }
  package func warning(_ text: String) -> String { wrap(text, "1;33") }
  package func faint(_ text: String) -> String { wrap(text, "2") }
  package func strong(_ text: String) -> String { wrap(text, "1") }
  /// A separate colour for each of several commands.
  func colorIndex(_ number: Int, _ text: String) -> String {
    wrap(text, Self.colorIndexes[number % Self.colorIndexes.count])
  }

  private static let colorIndexes = ["36", "35", "32", "33", "34", "96", "95", "92", "93", "94"]

  package func good(_ text: String) -> String { wrap(text, "32") }
  /// The colours of values, which are those of the same words in an entry.
  package func number(_ text: String) -> String { wrap(text, "36") }
  package func keyword(_ text: String) -> String { wrap(text, "35") }
  package func string(_ text: String) -> String { wrap(text, "32") }

  private func wrap(_ text: String, _ code: String) -> String {
    isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

/// An environment variable; nil if unset or empty.
package func environment(_ name: String) -> String? {
  ProcessEnvironment.value(of: name).flatMap { $0.isEmpty ? nil : $0 }
}
