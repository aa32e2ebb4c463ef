/// Entries in the order of their addition, each of which can be removed by its slot in logarithmic
/// time.
@usableFromInline
package struct SlotTable<Entry> {
  @usableFromInline var places: [(slot: Int, entry: Entry?)] = []
  @usableFromInline var holes = 0
  @usableFromInline var next = 0

  @inlinable
  package init() {}

  /// The number of places in use, some of which may be empty.
  @inlinable var count: Int { places.count }

  /// Adds an entry at the end.
  ///
  /// - Returns: its slot, which no other entry of this table ever has.
  @inlinable
  package mutating func insert(_ entry: Entry) -> Int {
    defer { next += 1 }
    places.append((next, entry))
    return next
  }

  /// Removes the entry of a slot; nil if it is gone.
  @inlinable
  package mutating func remove(at slot: Int) -> Entry? {
    place(of: slot).flatMap { remove(place: $0) }
  }

  /// The entry of a slot; nil if it is gone.
  @inlinable
  package subscript(slot: Int) -> Entry? { place(of: slot).flatMap { places[$0].entry } }

  /// All entries, in order.
  @inlinable
  package var entries: [Entry] {
    var entries: [Entry] = []
    for place in places { if let entry = place.entry { entries.append(entry) } }
    return entries
  }

  @inlinable
  func place(of slot: Int) -> Int? {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle].slot < slot { low = middle + 1 } else { high = middle }
    }
    guard low < places.count, places[low].slot == slot else { return nil }
    return low
  }

  @inlinable
  mutating func remove(where matches: (Entry) -> Bool) -> Entry? {
    places.firstIndex { $0.entry.map(matches) ?? false }.flatMap { remove(place: $0) }
  }

  /// Removes all entries and adds them to a list, the last one first.
  @inlinable
  package mutating func removeAll(reversedInto list: inout [Entry]) {
    for place in places.reversed() { if let entry = place.entry { list.append(entry) } }
    (places, holes) = ([], 0)
  }

  @inlinable
  mutating func remove(place: Int) -> Entry? {
    guard let entry = places[place].entry else { return nil }
    places[place].entry = nil
    holes += 1
    // Short-lived entries are added and removed at the end.
    while let last = places.last, last.entry == nil {
      places.removeLast()
      holes -= 1
    }
    if holes * 2 > places.count {
      places.removeAll { $0.entry == nil }
      holes = 0
    }
    return entry
  }
}
