import Platform

/// How deep the sends of a thread nest, so that subjects which forward to each other, however many, do
/// not overflow its stack: a send that nests too deep is carried out by the outermost one, once that
/// is done with its own.
@usableFromInline
struct SendDepth {
  /// The stack that nested sends may use: little of the smallest stacks, and hundreds of sends.
  @usableFromInline static var limit: UInt { 128 * 1024 }

  /// Where the stack stood in the outermost send; 0 when none is in progress.
  @usableFromInline var base: UInt = 0
  @usableFromInline var hasPostponed = false
  fileprivate var postponed = Queue<any PostponedDelivery>()

  /// The calling thread's.
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

/// What a send that nests too deep leaves to the outermost one.
@usableFromInline
protocol PostponedDelivery: AnyObject {
  func drain()
}

extension UnsafeMutablePointer<SendDepth> {
  /// Whether one more send may nest here; the outermost one always may.
  @inlinable
  var hasRoom: Bool {
    pointee.base == 0 || pointee.base &- Self.here < SendDepth.limit
  }

  /// Begins a send; whether it is the outermost one.
  @inlinable
  func enter() -> Bool {
    guard pointee.base == 0 else { return false }
    pointee.base = Self.here
    return true
  }

  /// Ends a send. The outermost one first carries out what was left to it.
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
      if case .pause(let pause) = stretch.step() {
        return pause.end {
          // A send in the meantime has carried them out, or the thread's outermost one does now.
          let depth = SendDepth.current
          depth.leave(asOutermost: depth.enter())
        }
      }
    }
    pointee.hasPostponed = false
  }

  /// An address in the present frame of the stack. (Under the address sanitizer only with
  /// `detect_stack_use_after_return=0`: otherwise locals live elsewhere.)
  @inlinable
  static var here: UInt {
    var local: UInt8 = 0
    return withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
  }
}
