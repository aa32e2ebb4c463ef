import CEditLine

/// Where on the screen a text ends that is written from the start of a row, the way the editor writes
/// it: control characters as `^X`, and wide characters never split between rows.
struct ScreenPosition: Equatable {
  private(set) var row = 0
  private(set) var column = 0
  private let width: Int

  init(width: Int) {
    self.width = max(width, 2)
  }

  mutating func advance(over scalars: some Sequence<Unicode.Scalar>) {
    for scalar in scalars { advance(over: scalar) }
  }

  private mutating func advance(over scalar: Unicode.Scalar) {
    switch scalar {
    case "\n":
      row += 1
      column = 0
    case "\t":
      repeat { step(1) } while column % 8 != 0
    case _ where scalar.value < 32 || scalar.value == 127:
      step(1)
      step(1)
    default: step(columns(of: scalar))
    }
  }

  private mutating func step(_ columns: Int) {
    if column + columns > width {
      row += 1
      column = 0
    }
    column += columns
    if column >= width {
      row += 1
      column = 0
    }
  }
}

/// How many columns a character takes on a terminal.
func columns(of scalar: Unicode.Scalar) -> Int {
  let columns = ceditline_columns(wchar_t(scalar.value))
  // What the locale does not know is written by its number.
  return columns >= 0 ? Int(columns) : scalar.value > 0xFFFF ? 8 : 7
}

/// How many columns a text takes on a terminal.
func columns(of text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + columns(of: $1) } }

/// A text cut to a number of columns.
func fitted(_ text: String, to width: Int) -> String {
  var used = 0
  var shown = String.UnicodeScalarView()
  for scalar in text.unicodeScalars {
    used += columns(of: scalar)
    if used > width { return String(shown.dropLast()) + "…" }
    shown.append(scalar)
  }
  return String(shown)
}
