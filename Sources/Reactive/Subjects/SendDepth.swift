import Platform

/// The depth of a thread's nested sends. It prevents long chains of subjects that forward to each
/// other from overflowing the stack: the outermost send carries out a send that nests too deep,
/// once it has done its own.
@usableFromInline
struct SendDepth {
  /// The stack space that nested sends may use: a small part of the smallest stacks, and enough for
  /// hundreds of sends.
  @usableFromInline static var limit: UInt { 128 * 1024 }

  /// The stack address in the outermost send; 0 when none is in progress.
  @usableFromInline var base: UInt = 0
  @usableFromInline var hasPostponed = false
  fileprivate var postponed = Queue<any PostponedDelivery>()

  /// The calling thread's depth.
  @usableFromInline
  static var current: UnsafeMutablePointer<SendDepth> {
    if let known = pthread_getspecific(key) {
      return known.assumingMemoryBound(to: SendDepth.self)
    }
    let new = UnsafeMutablePointer<SendDepth>.allocate(capacity: 1)
    new.initialize(to: SendDepth())
    pthread_setspecific(key, new)
    return new
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { stored in
      // Optional on one platform only.
      let stored: UnsafeMutableRawPointer? = stored
      guard let own = stored?.assumingMemoryBound(to: SendDepth.self) else { return }
      own.deinitialize(count: 1)
      own.deallocate()
    }
    return key
  }()
}

/// A delivery that nests too deep and is left to the outermost send.
@usableFromInline
protocol PostponedDelivery: AnyObject {
  func drain()
}

extension UnsafeMutablePointer<SendDepth> {
  /// True if one more send may nest here; always true for the outermost one.
  @inlinable
  var hasRoom: Bool {
    pointee.base == 0 || pointee.base &- Self.here < SendDepth.limit
  }

  /// Begins a send; true if it is the outermost one.
  @inlinable
  func enter() -> Bool {
    guard pointee.base == 0 else { return false }
    pointee.base = Self.here
    return true
  }

  /// Ends a send. The outermost one first carries out the postponed deliveries.
  @inlinable
  func leave(asOutermost isOutermost: Bool) {
    guard isOutermost else { return }
    if pointee.hasPostponed { carryOutPostponed() }
    pointee.base = 0
  }

  func postpone(_ delivery: any PostponedDelivery) {
    pointee.postponed.append(delivery)
    pointee.hasPostponed = true
  }

  @usableFromInline
  @inline(never)
  func carryOutPostponed() {
    var stretch = Stretch()
    while let delivery = pointee.postponed.popFirst() {
      delivery.drain()
      if let pause = stretch.pause() {
        return pause.end {
          // A send in the meantime has carried them out, or the thread's outermost one does so now.
          let depth = SendDepth.current
          depth.leave(asOutermost: depth.enter())
        }
      }
    }
    pointee.hasPostponed = false
  }

  /// An address in the current stack frame. (With the address sanitizer, set
  /// `detect_stack_use_after_return=0`; otherwise locals are stored elsewhere.)
  @inlinable
  static var here: UInt {
    var local: UInt8 = 0
    return withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
  }
}
