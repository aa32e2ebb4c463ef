import Synchronization

/// The record of past values: one in the core, several in an object of their own.
extension SubjectCore {
  /// A record of several values or of batches; guarded as `single` is.
  @usableFromInline
  final class Recording {
    @exclusivity(unchecked)
    @usableFromInline var buffer: ReplayBuffer<Value>

    @inlinable
    init(_ buffer: ReplayBuffer<Value>) {
      self.buffer = buffer
    }
  }

  /// Puts a value into the record; called by the owner. False if the stream has ended.
  @inlinable
  func record(_ value: Value) -> Bool {
    guard termination == nil else { return false }
    if isRecordEmpty && capacity > 0 {
      // A subscriber that cannot see it yet receives it when it joins.
      begin(with: value)
    } else {
      _ = withLock { keep(value) }
    }
    return true
  }

  /// Does the same under the lock.
  ///
  /// - Returns: the values evicted from the record, to be released outside the lock.
  @inlinable
  func keep(_ value: Value) -> ReplayBuffer<Value>.Evicted? {
    backlog?.add(.value(value))
    if let recording { return recording.buffer.append(value) }
    guard capacity > 0 else { return nil }
    guard let former = single else {
      begin(with: value)
      return nil
    }
    guard capacity > 1 else {
      single = value
      return .value(former)
    }
    return spread().buffer.append(value)
  }

  /// Begins the record.
  @inlinable
  func begin(with value: Value) {
    keepSingle(value)
    hasRecord.store(true, ordering: .releasing)
  }

  /// Makes room in the record for more than one value.
  @inlinable
  func spread() -> Recording {
    let new = Recording(ReplayBuffer(capacity: capacity))
    if let single = single.take() { _ = new.buffer.append(single) }
    recording = new
    hasRecord.store(true, ordering: .releasing)
    return new
  }

  /// An immutable copy of the record.
  @usableFromInline
  struct Past: Sendable {
    /// The only value.
    @usableFromInline let value: Value?
    @usableFromInline let record: ReplayBuffer<Value>.Snapshot?

    @inlinable
    init(value: Value?, record: ReplayBuffer<Value>.Snapshot?) {
      self.value = value
      self.record = record
    }
  }

  @inlinable
  var isRecordEmpty: Bool { !hasSingle && recording?.buffer.isEmpty ?? true }

  /// The latest value of the record.
  var latest: Value? {
    withLock {
      guard hasRecord.load(ordering: .acquiring) else { return nil }
      return past.value ?? past.record?.last
    }
  }

  /// A copy of the record; called under the lock once there is a record.
  @inlinable
  var past: Past { Past(value: single, record: recording?.buffer.snapshot()) }
}
