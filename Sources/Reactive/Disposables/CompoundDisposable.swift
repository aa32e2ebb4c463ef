import Synchronization

/// A set of disposables that are disposed together, in the order they were added. One added late,
/// after the set was disposed, is disposed at once. RAC: `RACCompoundDisposable`.
///
/// It is also the subscription itself: a signal's chain shares one, the source puts its teardown
/// there, and whatever produces events asks `isDisposed` before it sends one.
///
/// Most subscriptions hold one teardown. It lives outside the lock, in `first`, whose owner is whoever
/// has made the change of `flags` that leads there:
///
/// ```
/// empty ──▶ busy ──▶ holding first ──▶ busy ──▶ empty
///   └────────┴──────────────┴── dispose ──▶ disposed
/// ```
public final class CompoundDisposable: Disposable, @unchecked Sendable {
  // Unchecked: `first` and `firstSlot` belong to whoever has set `busy`, or cleared `holdsFirst` by
  // disposing; `parent` and `place` are set before anyone else knows of this set. The one who disposes
  // it may clear `parent`, unless `linked` was set before; only who has set that in time may read it.

  enum Entry: Sendable {
    case disposable(any Disposable)
    case action(@Sendable () -> Void)
    case gate(any Gate)
    case child(CompoundDisposable)

    consuming func dispose() {
      switch consume self {
      case .disposable(let disposable): disposable.dispose()
      case .action(let action): action()
      case .gate(let gate): gate.shut()
      case .child(let child): child.dispose()
      }
    }

    func holds(_ other: any Disposable) -> Bool {
      switch self {
      case .disposable(let disposable): disposable === other
      case .child(let child): child === other
      case .action, .gate: false
      }
    }

    func takePlace(_ slot: Slot) {
      if case .child(let child) = self { child.place = slot }
    }
  }

  /// The place of one entry, to take it out again without a search. It never becomes another's.
  package struct Slot: Sendable {
    /// Negative for those who had `first`.
    let index: Int
  }

  @usableFromInline enum Flags {
    @usableFromInline static var empty: UInt8 { 0 }
    @usableFromInline static var disposed: UInt8 { 1 }
    /// Somebody is writing `first`.
    @usableFromInline static var busy: UInt8 { 2 }
    @usableFromInline static var holdsFirst: UInt8 { 4 }
    @usableFromInline static var holdsMore: UInt8 { 8 }
    /// The parent waits for asynchronous teardown of this set, and must be found for it.
    @usableFromInline static var linked: UInt8 { 16 }
  }

  @usableFromInline let flags = Atomic<UInt8>(Flags.empty)
  @exclusivity(unchecked)
  private var first: Entry?
  @exclusivity(unchecked)
  private var firstSlot = 0
  private let more = Mutex(SlotTable<Entry>())
  @exclusivity(unchecked)
  private var parent: CompoundDisposable?
  @exclusivity(unchecked)
  private var place: Slot?
  let ledger = Mutex(TeardownLedger())

  /// An empty set.
  public init() {}

  /// A set of `disposables`.
  public convenience init(_ disposables: [any Disposable]) {
    self.init()
    for disposable in disposables { add(disposable) }
  }

  /// Whether `dispose` was called.
  @inlinable
  public var isDisposed: Bool {
    flags.load(ordering: .acquiring) & Flags.disposed != 0
  }

  /// Adds a disposable, or disposes it at once if this set has been disposed.
  public func add(_ disposable: any Disposable) {
    insert(disposable)
  }

  /// Adds an action to run at disposal, or runs it at once if this set has been disposed.
  public func add(_ action: @escaping @Sendable () -> Void) {
    insert(.action(action))
  }

  /// Adds a gate to shut at disposal; spares a closure.
  @usableFromInline
  func add(gate: any Gate) {
    insert(.gate(gate))
  }

  /// Adds a disposable that will be taken out again by its slot.
  @discardableResult
  package func insert(_ disposable: any Disposable) -> Slot? {
    if let child = disposable as? CompoundDisposable { adopt(child) }
    return insert(.disposable(disposable))
  }

  /// Takes a disposable out without disposing it; does nothing if it is not in the set. Linear in
  /// the size of the set.
  public func remove(_ disposable: any Disposable) {
    if takeFirst(if: { $0.holds(disposable) }) != nil { return }
    // The entry is released after the lock.
    _ = more.withLock { $0.remove { $0.holds(disposable) } }
  }

  package func remove(_ slot: Slot?) {
    guard let slot else { return }
    if slot.index < 0 {
      _ = takeFirst { _ in firstSlot == slot.index }
    } else {
      _ = more.withLock { $0.remove(at: slot.index) }
    }
  }

  /// Disposes everything in the set, each outside the lock, in the order of addition.
  public func dispose() {
    // Most are disposed twice, by the end of the stream and by the subscriber.
    if isDisposed { return }
    guard let held = claim() else { return }
    if held & Flags.holdsMore == 0 {
      guard held & Flags.holdsFirst != 0, let only = first.take() else { return }
      guard case .child = only else { return only.dispose() }
      Self.dispose([only])
    } else {
      Self.dispose(takeAll(held))
    }
  }

  /// Disposes entries, the last one first, in a loop: long chains nest a child in a child in a child.
  private static func dispose(_ entries: consuming [Entry]) {
    while let entry = entries.popLast() {
      if case .child(let child) = entry {
        if let held = child.claim() { entries.append(contentsOf: child.takeAll(held)) }
      } else {
        entry.dispose()
      }
    }
  }

  /// Leaves the parent, for the first one who disposes the set.
  ///
  /// - Returns: what the set holds; nil for those who come later.
  private func claim() -> UInt8? {
    let held = flags.exchange(Flags.disposed, ordering: .acquiringAndReleasing)
    if held & Flags.disposed != 0 { return nil }
    let parent = held & Flags.linked == 0 ? self.parent.take() : self.parent
    if let parent, !parent.isDisposed { parent.remove(place) }
    return held
  }

  /// All entries, in the reverse order of addition.
  private func takeAll(_ held: UInt8) -> [Entry] {
    var entries: [Entry] = []
    if held & Flags.holdsMore != 0 {
      entries = more.withLock { more in
        var entries: [Entry] = []
        entries.reserveCapacity(more.count + 1)
        more.removeAll(reversedInto: &entries)
        return entries
      }
    }
    if held & Flags.holdsFirst != 0, let first = first.take() { entries.append(first) }
    return entries
  }

  @discardableResult
  private func insert(_ entry: Entry) -> Slot? {
    guard change(Flags.empty, to: Flags.busy) else { return insertMore(entry) }
    firstSlot -= 1
    let slot = Slot(index: firstSlot)
    entry.takePlace(slot)
    first = entry
    if endBusy(with: Flags.holdsFirst) { return slot }
    first = nil
    entry.dispose()
    return nil
  }

  private func insertMore(_ entry: Entry) -> Slot? {
    let slot: Slot? = more.withLock { more in
      let index = more.insert(entry)
      entry.takePlace(Slot(index: index))
      let before = flags.bitwiseOr(Flags.holdsMore, ordering: .acquiringAndReleasing).oldValue
      guard before & Flags.disposed != 0 else { return Slot(index: index) }
      _ = more.remove(at: index)
      return nil
    }
    if slot == nil { entry.dispose() }
    return slot
  }

  private func takeFirst(if matches: (Entry) -> Bool) -> Entry? {
    while true {
      let seen = flags.load(ordering: .acquiring)
      // Who is busy may be looking for another entry, and will put this one back.
      if seen & Flags.busy != 0 { continue }
      guard seen & Flags.holdsFirst != 0 else { return nil }
      guard change(seen, to: seen ^ Flags.holdsFirst | Flags.busy) else { continue }
      guard let entry = first, matches(entry) else {
        // Disposed meanwhile, nobody else looks at it any more.
        if !endBusy(with: Flags.holdsFirst) {
          let entry = first
          first = nil
          entry?.dispose()
        }
        return nil
      }
      first = nil
      endBusy(with: Flags.empty)
      return entry
    }
  }

  /// Lets go of `first`. False if the set was disposed meanwhile; then it stays with the caller.
  @discardableResult
  private func endBusy(with flag: UInt8) -> Bool {
    while true {
      let seen = flags.load(ordering: .acquiring)
      if seen & Flags.busy == 0 { return false }
      if change(seen, to: seen ^ Flags.busy | flag) { return true }
    }
  }

  private func change(_ expected: UInt8, to desired: UInt8) -> Bool {
    flags.compareExchange(
      expected: expected, desired: desired, ordering: .acquiringAndReleasing
    ).exchanged
  }
}

extension CompoundDisposable {
  /// The parent of a child that has not been disposed; it is kept from now on.
  func linkedParent() -> CompoundDisposable? {
    let before = flags.bitwiseOr(Flags.linked, ordering: .acquiringAndReleasing).oldValue
    return before & Flags.disposed == 0 ? parent : nil
  }

  /// A subscription inside this one: disposed with it, and taken out of it once it has been disposed
  /// itself, so that a parent with many short-lived children stays small. Until then each holds the
  /// other: a weak reference would cost more than the rest of the child.
  @usableFromInline
  package func makeChild() -> CompoundDisposable {
    let child = CompoundDisposable()
    child.parent = self
    insert(.child(child))
    return child
  }
}

/// What lets events through until it is shut.
@usableFromInline
protocol Gate: AnyObject, Sendable {
  func shut()
}
