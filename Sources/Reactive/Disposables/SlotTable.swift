/// Entries in the order of their addition, each of which can be taken out again by its slot, in
/// logarithmic time.
struct SlotTable<Entry> {
  private var places: [(slot: Int, entry: Entry?)] = []
  private var holes = 0
  private var next = 0

  /// Adds an entry at the end.
  ///
  /// - Returns: its slot, which no other entry of this table ever has.
  mutating func insert(_ entry: Entry) -> Int {
    defer { next += 1 }
    places.append((next, entry))
    return next
  }

  /// Takes out the entry of a slot; nil if it is gone.
  mutating func remove(at slot: Int) -> Entry? {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle].slot < slot { low = middle + 1 } else { high = middle }
    }
    guard low < places.count, places[low].slot == slot else { return nil }
    return remove(place: low)
  }

  mutating func remove(where matches: (Entry) -> Bool) -> Entry? {
    places.firstIndex { $0.entry.map(matches) ?? false }.flatMap { remove(place: $0) }
  }

  mutating func removeAll() -> [Entry] {
    let entries = places.compactMap { $0.entry }
    (places, holes) = ([], 0)
    return entries
  }

  private mutating func remove(place: Int) -> Entry? {
    guard let entry = places[place].entry else { return nil }
    places[place].entry = nil
    holes += 1
    // Short-lived entries come and go at the end.
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
