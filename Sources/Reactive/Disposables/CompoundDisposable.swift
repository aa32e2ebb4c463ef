import Synchronization

/// A set of disposables that are disposed together, in the order they were added. A disposable
/// added after the set was disposed is disposed at once. RAC: `RACCompoundDisposable`.
///
/// It is also the subscription itself: a signal's chain shares one, the source adds its teardown to
/// it, and the producer of events checks `isDisposed` before it sends one. A subclass carries state
/// of its owner; it cannot change what a set does.
///
/// Most subscriptions hold one teardown. It is stored outside the lock, in `first`. The caller that
/// made the change of `flags` into a state owns `first` in that state:
///
/// ```
/// empty ──▶ busy ──▶ holding first ──▶ busy ──▶ empty
///   └────────┴──────────────┴── dispose ──▶ disposed
/// ```
open class CompoundDisposable: Disposable, @unchecked Sendable {
  // Unchecked: the caller that set `busy`, or cleared `holdsFirst` by disposing, owns `first` and
  // `firstSlot`. `parent` and `place` are set before any other code knows of this set. The
  // disposing caller may clear `parent`, unless `linked` was set before; only the caller that set
  // `linked` in time may read it.

  enum Entry: Sendable {
    case disposable(any Disposable)
    case action(@Sendable () -> Void)
    case child(CompoundDisposable)

    consuming func dispose() {
      switch consume self {
      case .disposable(let disposable): disposable.dispose()
      case .action(let action): action()
      case .child(let child): child.dispose()
      }
    }

    func holds(_ other: any Disposable) -> Bool {
      switch self {
      case .disposable(let disposable): disposable === other
      case .child(let child): child === other
      case .action: false
      }
    }

    func takePlace(_ slot: Slot) {
      if case .child(let child) = self { child.place = slot }
    }
  }

  /// The place of one entry, for removing it without a search. A slot is never reused.
  package struct Slot: Sendable {
    /// Negative for entries that were stored in `first`.
    let index: Int
  }

  @usableFromInline enum Flags {
    @usableFromInline static var empty: UInt8 { 0 }
    @usableFromInline static var disposed: UInt8 { 1 }
    /// A caller is writing `first`.
    @usableFromInline static var busy: UInt8 { 2 }
    @usableFromInline static var holdsFirst: UInt8 { 4 }
    @usableFromInline static var holdsMore: UInt8 { 8 }
    /// The parent waits for asynchronous teardown of this set, so `parent` must stay available.
    @usableFromInline static var linked: UInt8 { 16 }
    /// The set retains itself.
    @usableFromInline static var kept: UInt8 { 32 }
  }

  @usableFromInline final let flags = Atomic<UInt8>(Flags.empty)
  /// True if the first disposal calls `shut`.
  private final let isGate: Bool
  @exclusivity(unchecked)
  private final var first: Entry?
  @exclusivity(unchecked)
  private final var firstSlot = 0
  @exclusivity(unchecked)
  private final var parent: CompoundDisposable?
  @exclusivity(unchecked)
  private final var place: Slot?
  /// The `Rest`, retained, once there is one.
  private final let restAddress = Atomic<UnsafeRawPointer?>(nil)

  /// What few sets need: places for more than one entry, and the record of asynchronous teardown.
  final class Rest: Sendable {
    let more = Mutex(SlotTable<Entry>())
    let ledger = Mutex(TeardownLedger())
    /// True once the ledger has teardown.
    let hasTeardown = Atomic<Bool>(false)
  }

  /// What this set needs beyond one entry; nil if it has never needed any of it.
  final var existingRest: Rest? {
    restAddress.load(ordering: .acquiring).map {
      Unmanaged<Rest>.fromOpaque($0).takeUnretainedValue()
    }
  }

  final var rest: Rest {
    if let rest = existingRest { return rest }
    let new = Unmanaged.passRetained(Rest())
    let (isNew, existing) = restAddress.compareExchange(
      expected: nil, desired: UnsafeRawPointer(new.toOpaque()), ordering: .acquiringAndReleasing)
    if isNew { return new.takeUnretainedValue() }
    new.release()
    return Unmanaged<Rest>.fromOpaque(existing!).takeUnretainedValue()
  }

  deinit {
    guard let rest = restAddress.load(ordering: .acquiring) else { return }
    Unmanaged<Rest>.fromOpaque(rest).release()
  }

  /// An empty set.
  public init() {
    isGate = false
  }

  /// An empty set that calls `shut` when it is disposed.
  @usableFromInline
  init(isGate: Bool) {
    self.isGate = isGate
  }

  /// A set of `disposables`.
  public convenience init(_ disposables: [any Disposable]) {
    self.init()
    for disposable in disposables { add(disposable) }
  }

  /// True once `dispose` was called.
  @inlinable
  public final var isDisposed: Bool {
    flags.load(ordering: .acquiring) & Flags.disposed != 0
  }

  /// Adds a disposable, or disposes it at once if this set has been disposed.
  public final func add(_ disposable: any Disposable) {
    insert(disposable)
  }

  /// Adds an action to run at disposal, or runs it at once if this set has been disposed.
  public final func add(_ action: @escaping @Sendable () -> Void) {
    insert(.action(action))
  }

  /// Stops the events that pass through this set, before its contents are disposed.
  @usableFromInline
  func shut() {}

  /// The subscription that this set is the source of, if any: it waits for this set's teardown.
  @usableFromInline
  var outer: CompoundDisposable? { nil }

  /// Retains this set until it is disposed.
  @usableFromInline
  final func keepUntilDisposed() {
    let kept = Unmanaged.passRetained(self)
    let before = flags.bitwiseOr(Flags.kept, ordering: .acquiringAndReleasing).oldValue
    if before & Flags.disposed != 0 { kept.release() }
  }

  /// Adds the source of this subscription, which is disposed with it; saves the question whether its
  /// teardown has to be waited for.
  @usableFromInline
  final func add(gate: CompoundDisposable) {
    insert(.disposable(gate))
  }

  /// Adds a subscriber of a subject; saves the question whether it is a set.
  @usableFromInline
  final func add(node: SubjectNode) {
    insert(.disposable(node))
  }

  /// Adds a disposable that can be removed by its slot.
  @discardableResult
  package final func insert(_ disposable: any Disposable) -> Slot? {
    if let child = disposable as? CompoundDisposable { adopt(child) }
    return insert(.disposable(disposable))
  }

  /// Removes a disposable without disposing it; does nothing if it is not in the set. Takes linear
  /// time.
  public final func remove(_ disposable: any Disposable) {
    if takeFirst(if: { $0.holds(disposable) }) != nil { return }
    // The entry is released outside the lock.
    _ = existingRest?.more.withLock { $0.remove { $0.holds(disposable) } }
  }

  package final func remove(_ slot: Slot?) {
    guard let slot else { return }
    if slot.index < 0 {
      _ = takeFirst { _ in firstSlot == slot.index }
    } else {
      _ = existingRest?.more.withLock { $0.remove(at: slot.index) }
    }
  }

  /// Disposes everything in the set, each outside the lock, in the order of addition.
  public final func dispose() {
    // Most sets are disposed twice, by the end of the stream and by the subscriber.
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

  /// Disposes entries, the last one first, in a loop, because long chains nest children deeply.
  private static func dispose(_ entries: consuming [Entry]) {
    while let entry = entries.popLast() {
      if case .child(let child) = entry {
        if let held = child.claim() { entries.append(contentsOf: child.takeAll(held)) }
      } else {
        entry.dispose()
      }
    }
  }

  /// Claims the disposal of the set, and leaves the parent.
  ///
  /// - Returns: the flags of the set's contents; nil if another caller disposed the set first.
  private final func claim() -> UInt8? {
    let held = flags.exchange(Flags.disposed, ordering: .acquiringAndReleasing)
    if held & Flags.disposed != 0 { return nil }
    let parent = held & Flags.linked == 0 ? self.parent.take() : self.parent
    if let parent, !parent.isDisposed { parent.remove(place) }
    if isGate { shut() }
    // The caller has a reference of its own.
    if held & Flags.kept != 0 { Unmanaged.passUnretained(self).release() }
    return held
  }

  /// All entries, in the reverse order of addition.
  private final func takeAll(_ held: UInt8) -> [Entry] {
    var entries: [Entry] = []
    if held & Flags.holdsMore != 0 {
      entries = rest.more.withLock { more in
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
  private final func insert(_ entry: consuming Entry) -> Slot? {
    guard change(Flags.empty, to: Flags.busy) else { return insertMore(entry) }
    firstSlot -= 1
    let slot = Slot(index: firstSlot)
    entry.takePlace(slot)
    first = consume entry
    if endBusy(with: Flags.holdsFirst) { return slot }
    first.take()?.dispose()
    return nil
  }

  private final func insertMore(_ entry: Entry) -> Slot? {
    let slot: Slot? = rest.more.withLock { more in
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

  private final func takeFirst(if matches: (Entry) -> Bool) -> Entry? {
    while true {
      let seen = flags.load(ordering: .acquiring)
      // The caller that set `busy` may be looking for another entry, and will put this one back.
      if seen & Flags.busy != 0 { continue }
      guard seen & Flags.holdsFirst != 0 else { return nil }
      guard change(seen, to: seen ^ Flags.holdsFirst | Flags.busy) else { continue }
      guard let entry = first, matches(entry) else {
        // Disposed meanwhile, so no other code looks at it any more.
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

  /// Releases ownership of `first`. False if the set was disposed meanwhile; then the caller keeps
  /// `first`.
  @discardableResult
  private final func endBusy(with flag: UInt8) -> Bool {
    while true {
      let seen = flags.load(ordering: .acquiring)
      if seen & Flags.busy == 0 { return false }
      if change(seen, to: seen ^ Flags.busy | flag) { return true }
    }
  }

  private final func change(_ expected: UInt8, to desired: UInt8) -> Bool {
    flags.compareExchange(
      expected: expected, desired: desired, ordering: .acquiringAndReleasing
    ).exchanged
  }
}

extension CompoundDisposable {
  /// The parent of a child that has not been disposed; it stays linked from now on.
  func linkedParent() -> CompoundDisposable? {
    let before = flags.bitwiseOr(Flags.linked, ordering: .acquiringAndReleasing).oldValue
    return before & Flags.disposed == 0 ? parent : nil
  }

  /// Creates a subscription inside this one. It is disposed with this one, and removed from it once
  /// it has been disposed itself, so that a parent with many short-lived children stays small.
  /// Until then each retains the other: a weak reference would cost more than the rest of the
  /// child.
  @usableFromInline
  package func makeChild() -> CompoundDisposable {
    let child = CompoundDisposable()
    child.parent = self
    insert(.child(child))
    return child
  }
}
