/// Entries that keep their places, so that each can be taken out in constant time.
struct SlotTable<Entry> {
  private var entries: [Entry?] = []
  private var free: [Int] = []

  mutating func insert(_ entry: Entry) -> Int {
    if let index = free.popLast() {
      entries[index] = entry
      return index
    }
    entries.append(entry)
    return entries.count - 1
  }

  mutating func remove(at index: Int) -> Entry? {
    guard entries.indices.contains(index), let entry = entries[index] else { return nil }
    entries[index] = nil
    free.append(index)
    if free.count == entries.count {
      entries = []
      free = []
    }
    return entry
  }

  mutating func remove(where matches: (Entry) -> Bool) -> Entry? {
    guard let index = entries.firstIndex(where: { $0.map(matches) ?? false }) else { return nil }
    return remove(at: index)
  }

  mutating func removeAll() -> [Entry] {
    defer {
      entries = []
      free = []
    }
    return entries.compactMap { $0 }
  }
}
