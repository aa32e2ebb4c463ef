import Synchronization

/// A set of disposables that are disposed together, in the order they were added. One added late,
/// after the set was disposed, is disposed at once. RAC: `RACCompoundDisposable`.
///
/// It is also the subscription itself: a signal's chain shares one, the source puts its teardown
/// there, and whatever produces events asks `isDisposed` before it sends one.
public final class CompoundDisposable: Disposable {
  @usableFromInline
  enum Entry: Sendable {
    case disposable(any Disposable)
    case action(@Sendable () -> Void)

    func dispose() {
      switch self {
      case .disposable(let disposable): disposable.dispose()
      case .action(let action): action()
      }
    }
  }

  /// The place of one entry, to take it out again in constant time.
  package struct Slot: Sendable {
    let index: Int
  }

  /// Most subscriptions hold one teardown, which needs no array.
  struct Entries {
    var first: Entry?
    var rest: [Entry?] = []
    var free: [Int] = []
    /// The subscription this one belongs to, and its place there if it takes itself out.
    var parent: Parent?
    var place: Slot?
    /// Made by the first asynchronous teardown; few subscriptions have one.
    var teardown: PendingTeardown?

    mutating func insert(_ entry: Entry) -> Slot {
      if first == nil && rest.isEmpty {
        first = entry
        return Slot(index: -1)
      }
      if let index = free.popLast() {
        rest[index] = entry
        return Slot(index: index)
      }
      rest.append(entry)
      return Slot(index: rest.count - 1)
    }

    mutating func remove(_ slot: Slot) -> Entry? {
      if slot.index == -1 {
        defer { first = nil }
        return first
      }
      guard rest.indices.contains(slot.index), let entry = rest[slot.index] else { return nil }
      rest[slot.index] = nil
      free.append(slot.index)
      if free.count == rest.count {
        rest = []
        free = []
      }
      return entry
    }

    mutating func remove(identicalTo disposable: any Disposable) -> Entry? {
      if let first, first.holds(disposable) { return remove(Slot(index: -1)) }
      guard let index = rest.firstIndex(where: { $0?.holds(disposable) ?? false }) else {
        return nil
      }
      return remove(Slot(index: index))
    }
  }

  @usableFromInline let disposed = Atomic<Bool>(false)
  let entries: Mutex<Entries>

  /// An empty set.
  public init() {
    entries = Mutex(Entries())
  }

  /// A set of `disposables`.
  public convenience init(_ disposables: [any Disposable]) {
    self.init()
    for disposable in disposables { add(disposable) }
  }

  /// Whether `dispose` was called.
  @inlinable
  public var isDisposed: Bool {
    disposed.load(ordering: .acquiring)
  }

  /// Adds a disposable, or disposes it at once if this set has been disposed.
  public func add(_ disposable: any Disposable) {
    insert(disposable)
  }

  /// Adds an action to run at disposal, or runs it at once if this set has been disposed.
  public func add(_ action: @escaping @Sendable () -> Void) {
    insert(.action(action))
  }

  /// Takes a disposable out without disposing it; does nothing if it is not in the set. Linear in
  /// the size of the set.
  public func remove(_ disposable: any Disposable) {
    _ = entries.withLock { $0.remove(identicalTo: disposable) }
  }

  /// Disposes everything in the set, each outside the lock, in the order of addition.
  public func dispose() {
    guard !disposed.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let (first, rest, parent, place) = entries.withLock { entries in
      defer {
        entries.first = nil
        entries.rest = []
        entries.free = []
      }
      return (entries.first, entries.rest, entries.parent, entries.place)
    }
    if let place { parent?.disposable?.remove(place) }
    first?.dispose()
    for entry in rest { entry?.dispose() }
  }

  /// Adds a disposable that will be taken out again by its slot.
  @discardableResult
  package func insert(_ disposable: any Disposable) -> Slot? {
    if let child = disposable as? CompoundDisposable { adopt(child) }
    return insert(.disposable(disposable))
  }

  package func remove(_ slot: Slot?) {
    guard let slot else { return }
    // The entry is released after the lock.
    _ = entries.withLock { $0.remove(slot) }
  }

  @discardableResult
  private func insert(_ entry: Entry) -> Slot? {
    // The flag is set before the entries are taken, so an entry that is put in under the lock while
    // the flag is clear is found by `dispose`.
    let slot: Slot? = entries.withLock { entries in
      disposed.load(ordering: .acquiring) ? nil : entries.insert(entry)
    }
    if slot == nil { entry.dispose() }
    return slot
  }
}

extension CompoundDisposable.Entry {
  fileprivate func holds(_ other: any Disposable) -> Bool {
    if case .disposable(let disposable) = self { disposable === other } else { false }
  }
}

extension CompoundDisposable {
  /// A subscription inside this one: disposed with it, and taken out of it once it has been disposed
  /// itself, so that a parent with many short-lived children stays small.
  @usableFromInline
  package func makeChild() -> CompoundDisposable {
    let child = CompoundDisposable()
    let parent = Parent(self)
    child.entries.withLock { $0.parent = parent }
    let slot = insert(.disposable(child))
    child.entries.withLock { $0.place = slot }
    return child
  }
}
