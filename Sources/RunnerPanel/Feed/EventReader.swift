/// The reader of one event stream: a place in the ring, and one in the record of each execution that
/// its pages look at. On the loop's thread.
///
/// What waits for a slow client is the one piece that is being sent: everything behind it is made
/// when there is room for it.
final class EventReader: ByteStream {
  /// The page that a client which names none reads as.
  static let usualPage = "main"
  /// The size from which a piece is sent.
  private static let piece = 16 << 10

  /// An execution whose output a page reads.
  struct Look {
    let execution: PanelExecution
    var cursor: OutputCursor
    private(set) var encoder: OutputEncoder

    init(_ execution: PanelExecution, from number: Int) {
      self.execution = execution
      cursor = OutputCursor(execution.output, from: number)
      encoder = OutputEncoder(command: execution.command, execution: execution.id)
    }
  }

  struct Page {
    let name: String
    var looks: [Look] = []
  }

  let id: String
  var resume: () -> Void = {}
  private unowned let feed: EventFeed
  private var place: Int
  private(set) var pages: [Page] = []
  /// The only execution whose events are read, to their end; nil for all events.
  private let followed: PanelExecution?
  private var pending: [UInt8] = []
  private var sent = 0
  /// True if output that has come since the last piece may be sent: it waits for the next tick.
  private var isOutputDue = true
  private var isSignOfLifeDue = false
  private var isOver = false

  /// A reader of all events from a place on.
  init(_ feed: EventFeed, id: String, place: Int, pages: [Page]) {
    self.feed = feed
    self.id = id
    self.place = place
    self.pages = pages
    followed = nil
  }

  /// A reader of one execution from its beginning, to its end.
  init(_ feed: EventFeed, following execution: PanelExecution, place: Int) {
    self.feed = feed
    self.place = place
    id = ""
    followed = execution
    pages = [Page(name: Self.usualPage, looks: [Look(execution, from: 0)])]
  }

  /// Puts an event before all others.
  func begin(with events: [[UInt8]]) {
    for event in events { appendMessage(of: event, for: nil) }
  }

  // MARK: Pages

  func setPage(_ page: Page) {
    if let index = pages.firstIndex(where: { $0.name == page.name }) {
      pages[index] = page
    } else {
      pages.append(page)
    }
    isOutputDue = true
    resume()
  }

  func removePage(_ name: String) { pages.removeAll { $0.name == name } }

  func looks(at execution: PanelExecution) -> Bool {
    pages.contains { $0.looks.contains { $0.execution === execution } }
  }

  // MARK: Reading

  /// Events have been added to the ring.
  func eventsHaveCome() { resume() }

  /// Output that has been added may be sent.
  func outputIsDue() {
    isOutputDue = true
    resume()
  }

  /// Nothing may have been sent for a while.
  func giveSignOfLife() {
    isSignOfLifeDue = true
    resume()
  }

  func read(into space: UnsafeMutableRawBufferPointer) -> Int? {
    if sent == pending.count { fill() }
    let count = min(space.count, pending.count - sent)
    if count == 0 { return isOver ? nil : 0 }
    pending.withUnsafeBytes {
      space.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sent..<sent + count]))
    }
    sent += count
    return count
  }

  func ended() {
    feed.remove(self)
    resume = {}
  }

  private func fill() {
    pending.removeAll(keepingCapacity: pending.capacity <= 4 * Self.piece)
    sent = 0
    if place < feed.ring.first {
      appendGap(feed.ring.first - place)
      place = feed.ring.first
    }
    let isEventDue = hasEvent
    let isEnding = followed?.isOver ?? false
    if isOutputDue || isEventDue { appendOutput() }
    // Who follows one execution wants its end behind its output.
    if followed != nil, pages[0].looks.contains(where: { !$0.cursor.isAtEnd }) { return }
    appendEvents()
    if isEnding, !hasEvent { isOver = true }
    if pending.isEmpty, isSignOfLifeDue { pending += ":\n\n".utf8 }
    isSignOfLifeDue = false
  }

  /// True if there is an event in the ring that this reader reads.
  private var hasEvent: Bool {
    while place < feed.ring.end {
      if isRead(feed.ring[place]) { return true }
      place += 1
    }
    return false
  }

  private func isRead(_ event: PanelEvent) -> Bool {
    if let followed { return event.execution == followed.id && event.page == nil }
    guard let page = event.page else { return true }
    return pages.contains { $0.name == page }
  }

  private func appendEvents() {
    while pending.count < Self.piece, hasEvent {
      let page = feed.ring[place].page
      let start = pending.count
      while pending.count - start < Self.piece, hasEvent, feed.ring[place].page == page {
        pending += "data: ".utf8
        pending += feed.ring[place].bytes
        pending.append(10)
        place += 1
      }
      endMessage(for: page)
    }
  }

  private func appendOutput() {
    isOutputDue = false
    for page in pages.indices {
      for look in pages[page].looks.indices where !pages[page].looks[look].cursor.isAtEnd {
        if pending.count >= Self.piece {
          isOutputDue = true
          return
        }
        let encoder = pages[page].looks[look].encoder
        var text: [UInt8] = []
        swap(&text, &pending)
        let start = text.count
        pages[page].looks[look].cursor.read { output in
          if text.count - start >= Self.piece { return false }
          text += "data: ".utf8
          encoder.encode(output, to: &text)
          text.append(10)
          return true
        }
        swap(&text, &pending)
        if !pages[page].looks[look].cursor.isAtEnd { isOutputDue = true }
        endMessage(for: followed == nil ? pages[page].name : nil)
      }
    }
  }

  private func appendGap(_ count: Int) {
    appendMessage(of: feed.gap(count), for: nil)
  }

  private func appendMessage(of event: [UInt8], for page: String?) {
    pending += "data: ".utf8
    pending += event
    pending.append(10)
    endMessage(for: page)
  }

  private func endMessage(for page: String?) {
    if let page { pending += "event: \(page)\n".utf8 }
    if followed == nil { pending += "id: \(currentPlace.text)\n".utf8 }
    pending.append(10)
  }

  private var currentPlace: StreamPlace {
    StreamPlace(
      server: feed.server, place: place,
      pages: pages.map { page in
        (
          page.name,
          page.looks.map { StreamPlace.Look(execution: $0.execution.id, next: $0.cursor.next) }
        )
      })
  }
}
