/// The reading of one execution and of what it needs, or of all, from their beginnings to their ends.
extension EventReader {
  /// Appends the events and the output of what is followed in the order in which they have come; the end
  /// of an execution comes behind its output.
  func fillInOrder() {
    let isDue = isOutputDue || hasEvent
    let begin = pending.count
    while pending.count - begin < Self.piece {
      let next = pages[0].looks.indices.compactMap { index in
        pages[0].looks[index].cursor.sequence.map { (sequence: $0, look: index) }
      }.min { $0.sequence < $1.sequence }
      let event = hasEvent ? feed.ring[place] : nil
      if let event, next.map({ event.number < $0.sequence }) ?? true, !isBeforeOutput(event) {
        if introduces(event) { continue }
        appendMessage(of: event.bytes, for: nil)
        place += 1
        if event.isEnd { leave(event.execution) }
      } else if let next, isDue {
        // Other output, or the event, may come in between.
        let others = pages[0].looks.indices.filter { $0 != next.look }
        var limits = others.compactMap { pages[0].looks[$0].cursor.sequence }
        if let event, !isBeforeOutput(event) { limits.append(event.number) }
        pages[0].looks[next.look].read(
          to: &pending, begin + Self.piece, before: limits.min() ?? .max, prefix: Self.dataStart,
          feed)
        endMessage(for: nil)
      } else {
        break
      }
    }
    guard isDue else { return }
    isOutputDue = isOutputLeft
    for index in pages[0].looks.indices {
      let size = pending.count
      pages[0].looks[index].readBegun(to: &pending, prefix: Self.dataStart, feed)
      if pending.count > size { endMessage(for: nil) }
    }
  }

  /// True if an event is the end of an execution of which output comes before it.
  private func isBeforeOutput(_ event: PanelEvent) -> Bool {
    event.isEnd
      && pages[0].looks.contains { $0.execution.id == event.execution && !$0.cursor.isAtEnd }
  }
}
