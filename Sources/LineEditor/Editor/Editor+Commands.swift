extension Editor {
  func perform(_ command: EditorCommand) -> EditorOutcome {
    if !command.isKill { undoHistory.endRun() }
    switch command {
    case .previousLine, .nextLine: break
    default: wantedColumn = nil
    }
    switch command {
    case .forwardCharacter:
      if !takeSuggestion({ $0.count }) { move(to: buffer.cursor + 1) }
    case .backwardCharacter: move(to: buffer.cursor - 1)
    case .forwardWord:
      if !takeSuggestion({ EditBuffer($0).endOfWord(from: 0) }) {
        move(to: buffer.endOfWord(from: buffer.cursor))
      }
    case .backwardWord: move(to: buffer.startOfWord(before: buffer.cursor))
    case .beginningOfLine: move(to: buffer.startOfLine(at: buffer.cursor))
    case .endOfLine:
      if !takeSuggestion({ $0.count }) { move(to: buffer.endOfLine(at: buffer.cursor)) }
    case .beginningOfBuffer: move(to: 0)
    case .endOfBuffer: move(to: buffer.characters.count)
    case .previousLine: return moveLine(-1)
    case .nextLine: return moveLine(1)
    case .previousHistory: return show(history.older(than: buffer))
    case .nextHistory: return show(history.newer(than: buffer))
    case .searchBackward, .searchForward: search = HistorySearch(from: buffer)

    case .deleteCharacter: delete(buffer.cursor..<min(buffer.cursor + 1, buffer.characters.count))
    case .deleteBackward: delete(max(0, buffer.cursor - 1)..<buffer.cursor)
    case .deleteOrEnd:
      if buffer.isEmpty { return .end }
      delete(buffer.cursor..<min(buffer.cursor + 1, buffer.characters.count))
    case .killLine:
      let end = buffer.endOfLine(at: buffer.cursor)
      // At the end of a line, the line break is cut.
      kill(buffer.cursor..<(end == buffer.cursor ? min(end + 1, buffer.characters.count) : end))
    case .killToStart: kill(buffer.startOfLine(at: buffer.cursor)..<buffer.cursor)
    case .killWord: kill(buffer.cursor..<buffer.endOfWord(from: buffer.cursor))
    case .killWordBackward: kill(buffer.startOfWord(before: buffer.cursor)..<buffer.cursor)
    case .killBlankWordBackward:
      kill(buffer.startOfBlankWord(before: buffer.cursor)..<buffer.cursor)
    case .yank: return yank(killRing.yank(), over: buffer.cursor..<buffer.cursor)
    case .yankEarlier:
      guard lastCommand == .yank || lastCommand == .yankEarlier, let range = yankedRange else {
        return .beep
      }
      return yank(killRing.yankEarlier(), over: range)
    case .yankLastArgument: return yankLastArgument()
    case .transposeCharacters: return transposeCharacters()
    case .transposeWords: return transposeWords()
    case .upcaseWord: changeWord { $0.uppercased() }
    case .downcaseWord: changeWord { $0.lowercased() }
    case .capitalizeWord: changeWord { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
    case .undo: return restore(undoHistory.undo(buffer))
    case .redo: return restore(undoHistory.redo(buffer))
    case .quotedInsert: isQuoting = true

    case .accept: return accept()
    case .breakLine: breakLine()
    case .complete: return complete()
    case .completeBackward: return .beep
    case .abort: return .none
    case .clearScreen: return .clearScreen
    case .editExternally: return .editExternally
    }
    return .none
  }

  // MARK: Submitting the entry

  private func accept() -> EditorOutcome {
    let text = buffer.text
    let rest = buffer.characters[buffer.cursor...]
    let end = rest.lastIndex { !$0.isWhitespace } ?? rest.startIndex
    let isInLastLine = !rest[..<end].contains("\n")
    guard isInLastLine, delegate?.isComplete(text) ?? true else {
      breakLine()
      return .none
    }
    return .accept(text)
  }

  // MARK: Moving

  func move(to position: Int) { buffer.moveCursor(to: position) }

  private func moveLine(_ delta: Int) -> EditorOutcome {
    let column = wantedColumn ?? buffer.column
    if let position = buffer.position(lines: delta, column: column) {
      move(to: position)
      wantedColumn = column
      return .none
    }
    wantedColumn = nil
    return show(delta < 0 ? history.older(than: buffer) : history.newer(than: buffer))
  }

  /// Shows another entry of the history.
  func show(_ other: EditBuffer?) -> EditorOutcome {
    guard let other else { return .beep }
    exchange(for: other)
    return .none
  }

  private func restore(_ other: EditBuffer?) -> EditorOutcome {
    guard let other else { return .beep }
    history.endWalk()
    buffer = other
    return .none
  }

  // MARK: Cutting and pasting

  private func delete(_ range: Range<Int>) {
    change(.erasing) { $0.remove(range) }
  }

  func kill(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    killRing.kill(
      buffer.text(in: range), range.lowerBound < buffer.cursor ? .backward : .forward,
      joining: lastCommand?.isKill == true)
    change(.other) { $0.remove(range) }
  }

  private func yank(_ text: String?, over range: Range<Int>) -> EditorOutcome {
    guard let text else { return .beep }
    change(.other) { $0.replace(range, with: text) }
    yankedRange = range.lowerBound..<buffer.cursor
    return .none
  }

  private func yankLastArgument() -> EditorOutcome {
    let isRepeated = lastCommand == .yankLastArgument
    var entry = (isRepeated ? lastArgument?.entry : nil) ?? history.entries.count
    let range = (isRepeated ? lastArgument?.range : nil) ?? buffer.cursor..<buffer.cursor
    var word: Substring?
    while word == nil, entry > 0 {
      entry -= 1
      word = history.entries[entry].split(whereSeparator: \.isWhitespace).last
    }
    guard let word else { return .beep }
    change(.other) { $0.replace(range, with: String(word)) }
    lastArgument = (range.lowerBound..<buffer.cursor, entry)
    return .none
  }

  // MARK: Words

  private func changeWord(_ transform: (String) -> String) {
    let start = buffer.cursor
    let end = buffer.endOfWord(from: start)
    let lead = buffer.characters[start..<end].prefix { !EditBuffer.isWord($0) }.count
    let word = buffer.text(in: start + lead..<end)
    change(.other) { $0.replace(start + lead..<end, with: transform(word)) }
  }

  private func transposeCharacters() -> EditorOutcome {
    let count = buffer.characters.count
    guard buffer.cursor > 0, count > 1 else { return .beep }
    let right = min(buffer.cursor, count - 1)
    let pair = String([buffer.characters[right], buffer.characters[right - 1]])
    change(.other) { $0.replace(right - 1..<right + 1, with: pair) }
    return .none
  }

  private func transposeWords() -> EditorOutcome {
    let end = buffer.endOfWord(from: buffer.cursor)
    let start = buffer.startOfWord(before: end)
    let firstStart = buffer.startOfWord(before: start)
    let firstEnd = buffer.endOfWord(from: firstStart)
    guard firstStart < firstEnd, firstEnd <= start, start < end else { return .beep }
    let swapped =
      buffer.text(in: start..<end) + buffer.text(in: firstEnd..<start)
      + buffer.text(in: firstStart..<firstEnd)
    change(.other) { $0.replace(firstStart..<end, with: swapped) }
    return .none
  }

  // MARK: Suggestions

  /// The text suggested behind the cursor; nil if there is none.
  var suggestion: String? {
    guard buffer.isAtEnd, !buffer.isEmpty, menu == nil, search == nil, !history.isWalking else {
      return nil
    }
    // A long text is unlikely to be in the history, and a search at each key would take time.
    guard buffer.characters.count <= 1_000 else { return nil }
    let text = buffer.text
    return history.suggestion(for: text) ?? delegate?.suggestion(for: text)
  }

  /// Accepts the part of the suggestion whose length `length` returns.
  private func takeSuggestion(_ length: (String) -> Int) -> Bool {
    guard buffer.isAtEnd, let suggestion else { return false }
    let part = String(suggestion.prefix(length(suggestion)))
    change(.other) { $0.insert(part) }
    return true
  }

  // MARK: Completion

  private func complete() -> EditorOutcome {
    let line = buffer.characters[buffer.startOfLine(at: buffer.cursor)..<buffer.cursor]
    if line.allSatisfy({ $0 == " " }) {
      change(.typing) { $0.insert("  ") }
      return .none
    }
    let list = delegate?.completions(of: buffer) ?? CompletionList()
    guard !list.items.isEmpty else { return .beep }
    let range = max(0, buffer.cursor - list.replacedCount)..<buffer.cursor
    let typed = buffer.text(in: range)
    if list.items.count == 1 {
      change(.other) { $0.replace(range, with: list.items[0].text) }
      return .none
    }
    // As in fish and IPython: what all have in common is inserted, and the next key chooses.
    var common = list.commonPrefix
    if common.count > typed.count, common.hasPrefix(typed) {
      change(.other) { $0.replace(range, with: common) }
    } else {
      common = typed
    }
    menu = CompletionMenu(
      items: list.items, range: range.lowerBound..<buffer.cursor, original: common)
    return .none
  }

  private func insertSelected() {
    guard var menu, let selected = menu.selected else { return }
    change(.typing) { $0.replace(menu.range, with: menu.items[selected].text) }
    menu.range = menu.range.lowerBound..<buffer.cursor
    self.menu = menu
  }

  /// Handles a key while the menu is open.
  ///
  /// - Returns: false if the menu has closed and the key has its usual meaning.
  func handleMenu(_ key: Key) -> Bool {
    switch (key.code, key.modifiers) {
    case (.tab, []), (.down, []), (.character("n"), .control): menu?.select(offset: 1)
    case (.tab, .shift), (.up, []), (.character("p"), .control): menu?.select(offset: -1)
    case (.pageDown, []): menu?.selectPage(1)
    case (.pageUp, []): menu?.selectPage(-1)
    case (.enter, []):
      let isChosen = menu?.selected != nil
      endMenu()
      return isChosen
    case (.escape, _), (.character("g"), .control):
      guard let menu else { return true }
      change(.typing) { $0.replace(menu.range, with: menu.original) }
      endMenu()
      return true
    default:
      endMenu()
      return false
    }
    insertSelected()
    return true
  }

  func endMenu() {
    guard menu != nil else { return }
    menu = nil
    undoHistory.endRun()
  }

  // MARK: Searching the history

  /// Handles a key during a history search.
  ///
  /// - Returns: nil if the search has ended and the key has its usual meaning.
  func handleSearch(_ key: Key) -> EditorOutcome? {
    guard var current = search else { return nil }
    let before = current
    switch (key.code, key.modifiers) {
    case (.character("r"), .control), (.up, []):
      current.find(in: history, isBackward: true, beyond: true)
    case (.character("s"), .control), (.down, []):
      current.find(in: history, isBackward: false, beyond: true)
    case (.backspace, _), (.character("h"), .control):
      _ = current.query.popLast()
      current.match = nil
      current.find(in: history, isBackward: true, beyond: false)
    case (.character("g"), .control), (.escape, _):
      search = nil
      buffer = current.origin
      return EditorOutcome.none
    case (.character(let scalar), let modifiers)
    where modifiers.isDisjoint(with: [.alt, .control]) && scalar.value >= 32:
      current.query.unicodeScalars.append(scalar)
      current.find(in: history, isBackward: true, beyond: false)
    case (.enter, []):
      endSearch()
      // Submits the entry that was found, rather than breaking a line at the match.
      move(to: buffer.characters.count)
      return nil
    default:
      endSearch()
      return nil
    }
    search = current
    return current.hasFailed && !before.hasFailed ? .beep : EditorOutcome.none
  }

  /// Makes the result of the search the entry.
  func endSearch() {
    guard let search else { return }
    self.search = nil
    guard search.match != nil else { return }
    exchange(for: search.buffer(in: history))
  }
}
