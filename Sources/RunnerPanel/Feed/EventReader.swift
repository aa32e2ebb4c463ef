/// The reader of one event stream: a place in the ring, and one in the record of each execution that
/// its pages look at. On the loop's thread.
///
/// What waits for a slow client is the one piece that is being sent: everything behind it is made
/// when there is room for it.
final class EventReader: ByteStream {
  /// The page that a client which names none reads as.
  static let usualPage = "main"
  /// The size from which a piece is sent.
  static let piece = 16 << 10

  /// An execution whose output a page reads.
  struct Look {
    let execution: PanelExecution
    var cursor: OutputCursor
    let encoder: OutputEncoder
    /// The number of the output that comes next, unless some are no longer kept.
    var expected: Int
    /// The version of the begun line that was sent.
    var begun = 0
    /// True if it had ended before its look began, so that no event tells of its end.
    var isEndDue = false

    /// True if everything has been sent, the line that is begun too.
    var isAtEnd: Bool {
      cursor.isAtEnd && (execution.begun.version == begun || execution.begun.bytes.isEmpty)
    }

    init(_ execution: PanelExecution, from number: Int) {
      self.execution = execution
      cursor = OutputCursor(execution.output, from: number)
      encoder = OutputEncoder(command: execution.command, execution: execution.id)
      expected = (0..<cursor.next).contains(number) ? number : cursor.next
    }
  }

  struct Page {
    let name: String
    var looks: [Look] = []
  }

  let id: String
  var resume: () -> Void = {}
  unowned let feed: EventFeed
  var place: Int
  var pages: [Page] = [] { didSet { isPlaceKnown = false } }
  /// The only execution whose events are read, to their end; nil for all events.
  let followed: PanelExecution?
  /// What it reads with all output; nil if it reads only what its pages look at, or one execution.
  let everything: Everything?
  /// The latest of the executions that it has told of; nil before it has told of any.
  var newest: Int?
  /// The executions that the followed one needs, whose events are read, too; nil if they are not.
  private var needs: Set<Int>?
  var pending: [UInt8] = []
  private var sent = 0
  /// True if output that has come since the last piece may be sent: it waits for the next tick.
  var isOutputDue = true
  private var isSignOfLifeDue = false
  private var isOver = false
  /// The look that is read first the next time.
  private var turn = 0
  /// What `placeOfPages` was, if it is still that.
  private var knownPlace: [UInt8] = []
  private var isPlaceKnown = false
  static let dataStart = Array("data: ".utf8)

  /// A reader of all events from a place on.
  init(_ feed: EventFeed, id: String, place: Int, pages: [Page]) {
    self.feed = feed
    self.id = id
    self.place = place
    self.pages = pages
    followed = nil
    everything = nil
  }

  /// A reader of all executions from their beginnings.
  init(_ feed: EventFeed, of everything: Everything) {
    self.feed = feed
    self.everything = everything
    (id, place, followed) = ("", feed.ring.end, nil)
    pages = [Page(name: Self.usualPage)]
    appendOverview()
  }

  /// A reader of one execution from its beginning, to its end.
  ///
  /// - Parameter needs: the executions that it needs so far, which are read with those to come; nil to
  ///   read the one alone.
  init(
    _ feed: EventFeed, following execution: PanelExecution, and needs: [PanelExecution]? = nil,
    place: Int
  ) {
    self.feed = feed
    self.place = place
    id = ""
    followed = execution
    everything = nil
    self.needs = needs.map { Set($0.map(\.id)) }
    let looks = ([execution] + (needs ?? [])).map { Look($0, from: 0) }
    pages = [Page(name: Self.usualPage, looks: looks)]
  }

  /// Reads another execution from its beginning, if the followed one needs it.
  func follow(_ execution: PanelExecution) {
    guard let request = execution.request, request === followed,
      needs?.insert(execution.id).inserted == true
    else { return }
    pages[0].looks.append(Look(execution, from: 0))
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
      appendMessage(of: feed.gap(feed.ring.first - place), for: nil)
      place = feed.ring.first
      appendOverview()
    }
    if let followed {
      fillInOrder()
      if followed.isOver, !hasEvent, !isOutputLeft { isOver = true }
    } else if everything != nil {
      fillInOrder()
      appendEnds()
    } else {
      let isDue = isOutputDue || hasEvent
      // Output comes before the events that follow it, unless there is so much that they would wait.
      if isDue, !isBehind { appendOutput() }
      appendEvents()
      if isDue, isBehind { appendOutput() }
    }
    if pending.isEmpty, isSignOfLifeDue { pending += ":\n\n".utf8 }
    isSignOfLifeDue = false
  }

  /// The number of outputs from which those that a page has not read count as a backlog.
  private static let backlog = 64

  private var isBehind: Bool {
    pages.contains { $0.looks.contains { $0.cursor.left > Self.backlog } }
  }

  /// True if nothing waits for its client.
  var isAtEnd: Bool { sent == pending.count && !hasEvent && !isOutputLeft }

  var isOutputLeft: Bool { pages.contains { $0.looks.contains { !$0.cursor.isAtEnd } } }

  // MARK: Events

  /// True if there is an event in the ring that this reader reads.
  var hasEvent: Bool {
    while place < feed.ring.end {
      if isRead(feed.ring[place]) { return true }
      place += 1
    }
    return false
  }

  private func isRead(_ event: PanelEvent) -> Bool {
    if let followed {
      guard event.page == nil, let execution = event.execution else { return false }
      return execution == followed.id || needs?.contains(execution) == true
    }
    guard let page = event.page else { return true }
    return pages.contains { $0.name == page }
  }

  private func appendEvents() {
    let begin = pending.count
    while pending.count - begin < Self.piece, hasEvent {
      let page = feed.ring[place].page
      while pending.count - begin < Self.piece, hasEvent, feed.ring[place].page == page {
        appendLine(feed.ring[place].bytes)
        place += 1
      }
      endMessage(for: page)
    }
  }

  // MARK: Output

  /// Appends a piece of output. The look that comes first is another one each time, so that none
  /// keeps the others waiting.
  private func appendOutput() {
    isOutputDue = false
    let looks = pages.indices.flatMap { page in
      pages[page].looks.indices.map { (page: page, look: $0) }
    }.filter { !pages[$0.page].looks[$0.look].isAtEnd }
    let begin = pending.count
    for index in looks.indices {
      guard pending.count - begin < Self.piece else {
        isOutputDue = true
        break
      }
      let (page, look) = looks[(index + turn) % looks.count]
      pages[page].looks[look].read(
        to: &pending, begin + Self.piece, prefix: Self.dataStart, feed)
      pages[page].looks[look].readBegun(to: &pending, prefix: Self.dataStart, feed)
      if !pages[page].looks[look].cursor.isAtEnd { isOutputDue = true }
      endMessage(for: pages[page].name)
    }
    turn &+= 1
  }

  // MARK: Messages

  func appendMessage(of event: [UInt8], for page: String?) {
    appendLine(event)
    endMessage(for: page)
  }

  private func appendLine(_ event: [UInt8]) {
    pending += Self.dataStart
    pending += event
    pending.append(10)
  }

  func endMessage(for page: String?) {
    if let page { pending += "event: \(page)\n".utf8 }
    if followed == nil, everything == nil {
      pending += feed.placeStart
      pending.append(decimal: place)
      pending += placeOfPages
      pending.append(10)
    }
    pending.append(10)
  }

  /// What follows the place in the ring in `Last-Event-ID`.
  private var placeOfPages: [UInt8] {
    if isPlaceKnown { return knownPlace }
    let places = StreamPlace(
      server: "", place: 0,
      pages: pages.map { page in
        (
          page.name,
          page.looks.map { StreamPlace.Look(execution: $0.execution.id, next: $0.cursor.next) }
        )
      })
    knownPlace = Array(places.text.utf8.dropFirst(2))
    isPlaceKnown = true
    return knownPlace
  }
}

extension EventReader.Look {
  /// Appends the line that the execution has begun, behind all of its output.
  mutating func readBegun(to text: inout [UInt8], prefix: [UInt8], _ feed: EventFeed) {
    guard cursor.isAtEnd, !isAtEnd else { return }
    begun = execution.begun.version
    text += prefix
    encoder.encode(execution.begun, feed.takeNumbers(1), before: cursor.next, to: &text)
    text.append(10)
  }

  /// Appends outputs as lines, up to a size.
  ///
  /// - Parameters:
  ///   - limit: the sequence number before which to end.
  ///   - prefix: what each line begins with.
  mutating func read(
    to text: inout [UInt8], _ size: Int, before limit: Int = .max, prefix: [UInt8],
    _ feed: EventFeed
  ) {
    let encoder = encoder
    var expected = expected
    cursor.read { output in
      if text.count >= size || output.sequence >= limit { return false }
      if output.number > expected {
        text += prefix
        text += encoder.loss(feed.takeNumbers(1), of: expected..<output.number)
        text.append(10)
      }
      expected = output.number + 1
      text += prefix
      encoder.encode(output, to: &text)
      text.append(10)
      return true
    }
    self.expected = expected
  }
}
