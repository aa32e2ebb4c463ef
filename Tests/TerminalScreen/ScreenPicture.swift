import CVTerm

extension Screen {
  /// What the screen shows as an SVG image of a window, row by row.
  ///
  /// - Parameter label: the text for those who cannot see it.
  public func picture(label: String) -> String {
    let rows = shownRows
    let width = Double(columnCount) * Place.width + 2 * Place.margin
    let height = Double(rows.count) * Place.height + Place.bar + Place.margin
    let dots = ["#ff5f57", "#febc2e", "#28c840"].enumerated().map { index, color in
      "<circle cx=\"\(18 + index * 18)\" cy=\"16\" r=\"5.5\" fill=\"\(color)\"/>"
    }
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(text(width)) \(text(height))\" "
        + "width=\"\(text(width))\" height=\"\(text(height))\" role=\"img\" "
        + "aria-label=\"\(escaped(label))\">",
      "<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\","
        + "monospace;fill:\(Palette.foreground)}.b{font-weight:bold}</style>",
      "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"\(Palette.background)\"/>",
      dots.joined(),
    ]
    for (row, cells) in rows.enumerated() {
      let y = Place.bar + Double(row) * Place.height
      for run in runs(of: cells) { lines.append(picture(of: run, y: y)) }
    }
    return (lines + ["</svg>", ""]).joined(separator: "\n")
  }

  private func picture(of run: Run, y: Double) -> String {
    let x = Place.margin + Double(run.column) * Place.width
    let width = Double(run.width) * Place.width
    var parts = ""
    if let background = run.style.background {
      parts +=
        "<rect x=\"\(text(x))\" y=\"\(text(y))\" width=\"\(text(width))\" "
        + "height=\"\(text(Place.height))\" fill=\"\(background)\"/>"
    }
    let color = run.style.foreground.map { " style=\"fill:\($0)\"" } ?? ""
    return parts + "<text x=\"\(text(x))\" y=\"\(text(y + Place.baseline))\" "
      + "textLength=\"\(text(width))\"\(run.style.isBold ? " class=\"b\"" : "")\(color)>"
      + "\(escaped(run.text))</text>"
  }

  /// Neighbouring cells of one style as one piece. Several blank ones end a piece: readers of SVG
  /// do not keep them.
  private func runs(of cells: [VTermScreenCell]) -> [Run] {
    var runs: [Run] = []
    var column = 0
    while column < cells.count {
      let cell = cells[column]
      let width = max(1, Int(cell.width))
      defer { column += width }
      let style = CellStyle(cell)
      let isBlank = cell.text == " " && style.background == nil
      if isBlank, runs.last?.text.last == " " { continue }
      if var last = runs.last, last.column + last.width == column, last.style == style || isBlank {
        last.text += cell.text
        last.width += width
        runs[runs.count - 1] = last
      } else if !isBlank {
        runs.append(Run(column: column, width: width, text: cell.text, style: style))
      }
    }
    return runs.map(\.withoutTrailingBlanks)
  }

  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }

  /// A number with at most one digit behind the point.
  private func text(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}

/// Sizes, in pixels.
private enum Place {
  static let width = 8.4
  static let height = 19.0
  static let baseline = 14.0
  static let margin = 14.0
  /// The height of the window's bar.
  static let bar = 36.0
}

/// The colours of a dark terminal.
private enum Palette {
  static let background = "#1c1f24"
  static let foreground = "#d8dee6"
  static let indexed = [
    "#3b4048", "#e06c75", "#8cc570", "#e5b567", "#61aeee", "#c678dd", "#56b6c2", "#abb2bf",
    "#7f8792", "#ff7b86", "#a5e08a", "#ffd07b", "#7cc4ff", "#de92f3", "#6fd3e0", "#ffffff",
  ]

  /// The colour of a cell; nil for the terminal's own.
  static func color(_ color: VTermColor) -> String? {
    let type = Int32(color.type)
    if type & Int32(VTERM_COLOR_DEFAULT_FG.rawValue | VTERM_COLOR_DEFAULT_BG.rawValue) != 0 {
      return nil
    }
    let isIndexed =
      type & Int32(VTERM_COLOR_TYPE_MASK.rawValue) == Int32(VTERM_COLOR_INDEXED.rawValue)
    guard isIndexed, Int(color.indexed.idx) < indexed.count else { return foreground }
    return indexed[Int(color.indexed.idx)]
  }
}

private struct CellStyle: Equatable {
  let isBold: Bool
  let foreground: String?
  let background: String?

  init(_ cell: VTermScreenCell) {
    let isReversed = cell.attrs.reverse == 1
    isBold = cell.attrs.bold == 1
    let (front, back) = (Palette.color(cell.fg), Palette.color(cell.bg))
    foreground = isReversed ? back ?? Palette.background : front
    background = isReversed ? front ?? Palette.foreground : back
  }
}

private struct Run {
  let column: Int
  var width: Int
  var text: String
  let style: CellStyle

  var withoutTrailingBlanks: Run {
    guard style.background == nil else { return self }
    var run = self
    while run.text.last == " " {
      run.text.removeLast()
      run.width -= 1
    }
    return run
  }
}

extension VTermScreenCell {
  /// What the cell shows; a space if it is empty.
  fileprivate var text: String {
    withUnsafeBytes(of: chars) { bytes in
      var text = ""
      for scalar in bytes.bindMemory(to: UInt32.self).prefix(while: { $0 != 0 }) {
        text.unicodeScalars.append(Unicode.Scalar(scalar) ?? "?")
      }
      return text.isEmpty ? " " : text
    }
  }
}
