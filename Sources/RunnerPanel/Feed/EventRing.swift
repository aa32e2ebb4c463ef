/// An event of the panel as it is sent.
struct PanelEvent {
  /// The page that it is for; nil for all.
  let page: String?
  /// The execution that it tells of.
  let execution: Int?
  /// True if it tells of the end of the execution.
  let isEnd: Bool
  /// Its sequence number.
  let number: Int
  /// One JSON document, without a newline.
  let bytes: [UInt8]
}

/// The latest events, each encoded once; readers have places in it. On the loop's thread.
struct EventRing {
  /// The most bytes and events that are kept for readers that are behind.
  private static let mostBytes = 1 << 20
  private static let mostEvents = 16_384

  private var events: [PanelEvent] = []
  /// The index of the oldest event in `events`, which is a circle once it is full.
  private var start = 0
  private var count = 0
  private var byteCount = 0
  /// The place of the oldest event.
  private(set) var first = 0
  /// The place behind the latest event.
  var end: Int { first + count }

  subscript(place: Int) -> PanelEvent { events[(start + place - first) % events.count] }

  mutating func append(_ event: PanelEvent) {
    while count > 0, count == Self.mostEvents || byteCount + event.bytes.count > Self.mostBytes {
      byteCount -= events[start].bytes.count
      events[start] = PanelEvent(page: nil, execution: nil, isEnd: false, number: 0, bytes: [])
      start = (start + 1) % events.count
      first += 1
      count -= 1
    }
    if count < events.count {
      events[(start + count) % events.count] = event
    } else {
      if start > 0 {
        events = Array(events[start...] + events[..<start])
        start = 0
      }
      events.append(event)
    }
    count += 1
    byteCount += event.bytes.count
  }
}
