import CLuaShims
import Platform
import Synchronization

/// Keeps one table, function, userdata or coroutine of an interpreter alive.
///
/// May be dropped on any thread; on a thread other than the interpreter's own, the release waits
/// until the interpreter is next entered. After the interpreter has closed, a reference represents
/// nil.
public final class LuaReference: Sendable {
  let id: Int32
  let lifetime: LuaLifetime
  /// The type of the value.
  public let type: LuaType
  /// Lua's address of the value: equal for equal objects while a reference to them exists.
  public let identity: UInt

  /// Pops the top value of `stack` and keeps it.
  init(popping stack: LuaStack, type: LuaType, lifetime: LuaLifetime) {
    self.type = type
    self.lifetime = lifetime
    identity = UInt(bitPattern: lua_topointer(stack.state, -1))
    id = rac_lua_ref(stack.state)
  }

  deinit { lifetime.release(id) }

  /// True while the interpreter is open.
  public var isAlive: Bool { lifetime.host != nil }
}

extension LuaReference: Hashable {
  /// Returns true if both refer to the same object (`rawequal`).
  public static func == (left: LuaReference, right: LuaReference) -> Bool {
    left === right
      || (left.identity == right.identity && left.type == right.type
        && left.lifetime === right.lifetime && left.isAlive)
  }

  /// Hashes consistently with `==`.
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

/// The part that outlives an interpreter: notifies late references that it has closed, and collects
/// the references that other threads drop.
@usableFromInline
final class LuaLifetime: Sendable {
  @usableFromInline let address: Atomic<UInt>
  @usableFromInline let thread = LoopThread()
  private let dropped = Mutex<[Int32]>([])
  @usableFromInline let hasDropped = Atomic(false)

  init() {
    address = Atomic(0)
  }

  /// The interpreter's state; nil before it opens and after it closes.
  @inlinable var host: OpaquePointer? {
    OpaquePointer(bitPattern: address.load(ordering: .relaxed))
  }

  @inlinable var isOnThread: Bool { thread.isCurrent }

  /// The same for code that may run on the interpreter's thread only; stops the program elsewhere.
  @inlinable var confinedHost: OpaquePointer? {
    guard let host else { return nil }
    precondition(isOnThread, "an interpreter belongs to one thread")
    return host
  }

  func open(_ host: OpaquePointer) { address.store(UInt(bitPattern: host), ordering: .relaxed) }

  func close() { address.store(0, ordering: .relaxed) }

  func release(_ id: Int32) {
    guard let host else { return }
    if isOnThread {
      rac_lua_unref(host, id)
    } else {
      dropped.withLock { $0.append(id) }
      hasDropped.store(true, ordering: .releasing)
    }
  }

  /// Releases the references that other threads have dropped. Call it on the interpreter's thread.
  @inlinable
  func drain() {
    if hasDropped.load(ordering: .relaxed) { releaseDropped() }
  }

  @usableFromInline
  func releaseDropped() {
    guard let host else { return }
    hasDropped.store(false, ordering: .relaxed)
    let ids = dropped.withLock { list in
      defer { list = [] }
      return list
    }
    for id in ids { rac_lua_unref(host, id) }
  }
}
