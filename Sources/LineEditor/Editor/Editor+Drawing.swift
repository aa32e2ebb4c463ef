extension Editor {
  /// Returns the text that updates the screen with the changes since the last call.
  public func draw(width: Int, height: Int) -> String {
    painter.paint(frame(width: width, height: height), width: width)
  }

  /// Returns the text that erases the entry, so that other text can be written above it.
  public func erase() -> String { painter.erase() }

  /// Returns the text that adapts the screen to another width, before the next `draw`.
  public func resize(width: Int) -> String { painter.resize(width: width) }

  /// Forgets the drawn entry, for example after the screen was cleared.
  public func forgetScreen() { painter.forget() }

  /// Returns the text that draws the entry for the last time, without editing aids, and moves to
  /// the row below it.
  ///
  /// - Parameter mark: a text after the entry, such as `^C`.
  public func finish(width: Int, height: Int, mark: String = "") -> String {
    let shown = search?.buffer(in: history) ?? buffer
    var builder = FrameBuilder(width: width)
    let styles = highlights(of: shown).filter { $0.style != .match && $0.style != .error }
    addText(of: shown, 0..<shown.characters.count, styles, to: &builder)
    builder.add(mark, .plain)
    builder.markCursor()
    // Status lines above the prompt disappear, and the rows below them move up. An entry that is
    // longer than the screen scrolls through it as a whole.
    let isFresh = !status.isEmpty || builder.frame.rows.count > height
    let erased = isFresh ? painter.erase() : ""
    return erased + painter.paint(builder.frame, width: width) + painter.leave()
  }

  private func frame(width: Int, height: Int) -> Frame {
    var builder = FrameBuilder(width: width)
    for line in status.prefix(max(0, height - 4)) {
      builder.add(fitted(line, to: width - 1), .suggestion)
      builder.newRow()
    }
    let shown = search?.buffer(in: history) ?? buffer
    var styles = highlights(of: shown)
    if let match = search?.match { styles = [StyledRange(match.range, .selected)] }
    let range = visibleRange(of: shown, width: width, height: height)
    addText(of: shown, range, styles, to: &builder)
    if let suggestion {
      let line = suggestion.prefix { $0 != "\n" }
      builder.add(line, .suggestion)
      if line.count < suggestion.count { builder.add(" …", .suggestion) }
    }
    if let search {
      builder.newRow()
      builder.add(search.hasFailed ? "failed search: " : "search: ", .detail)
      builder.add(search.query, .plain)
    } else if let menu {
      menu.draw(into: &builder, width: width)
    } else if let hint = delegate?.hint(for: buffer) {
      builder.newRow()
      builder.add(fitted(hint, to: width - 1), .detail)
    }
    return builder.frame.clipped(height: max(1, height))
  }

  private func highlights(of buffer: EditBuffer) -> [StyledRange] {
    guard !buffer.isEmpty, buffer.characters.count <= Self.longText else { return [] }
    return delegate?.highlights(of: buffer) ?? []
  }

  /// The length from which a text is drawn without colours, and only around the cursor.
  private static let longText = 20_000

  /// The part of a text that is laid out: for a long one, the part that fits on the screen. It
  /// moves in steps, so that most keys change little on the screen.
  private func visibleRange(of buffer: EditBuffer, width: Int, height: Int) -> Range<Int> {
    let count = buffer.characters.count
    guard count > Self.longText else { return 0..<count }
    let step = width * height
    let start = max(0, (buffer.cursor / step - 1) * step)
    return start..<min(count, buffer.cursor + step)
  }

  /// Adds the prompt, a part of the text and the cursor.
  private func addText(
    of buffer: EditBuffer, _ range: Range<Int>, _ styles: [StyledRange],
    to builder: inout FrameBuilder
  ) {
    if range.lowerBound == 0 { builder.add(prompt, .prompt) } else { builder.add("…", .detail) }
    var styles = styles[...]
    for index in range {
      if index == buffer.cursor { builder.markCursor() }
      while let first = styles.first, first.range.upperBound <= index { styles.removeFirst() }
      let style = styles.first.flatMap { $0.range.contains(index) ? $0.style : nil } ?? .plain
      let character = buffer.characters[index]
      builder.add(character, style)
      if character == "\n" { builder.add(continuationPrompt, .prompt) }
    }
    if buffer.cursor == range.upperBound { builder.markCursor() }
  }
}
