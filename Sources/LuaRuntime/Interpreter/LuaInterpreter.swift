import CLuaShims
import Platform

/// A Lua 5.4 interpreter with the standard libraries.
///
/// Confined to the thread that made it, except for `interrupt`, which a signal handler of that
/// thread may also call, and for references, which may be dropped on any thread.
///
/// A host function keeps its captures until the interpreter closes or Lua collects it; one that
/// captures the interpreter itself keeps it open until `close()`. Use `LuaCall.interpreter`
/// instead.
public final class LuaInterpreter: @unchecked Sendable {
  // Unchecked, so that closures of signals can refer to their interpreter: `lifetime` tells the thread,
  // and every entry checks it there before it uses another field.

  @usableFromInline let lifetime = LuaLifetime()
  private var isClosing = false
  @exclusivity(unchecked) @usableFromInline var closeRequested = false
  @exclusivity(unchecked) @usableFromInline var entries = 0
  /// Converts Swift errors that cross the boundary.
  public var errorBridge: LuaErrorBridge?
  /// Called with the path of each module that a confined `require` finds, right before it is read.
  public var onTextModule: (String) -> Void = { _ in }
  /// The innermost coroutine that the host is resuming now.
  public internal(set) var currentCoroutine: LuaCoroutine?
  var registrations: [LuaTypeRegistration] = []
  /// Returns the function with a number, and its name in messages, when it is first called; nil if
  /// there is none. See `LuaStack.setLateFunctions(_:from:)`.
  public var lateFunction: ((Int) -> (name: String, body: LuaFunctionBody)?)?
  /// Called inside the collector when the first of several objects waits for `releaseCollected`. It
  /// must arrange for that call and do nothing else. Without it, objects are released in the
  /// collector.
  public var onCollected: (() -> Void)? {
    didSet { defersReleases = onCollected != nil }
  }
  @exclusivity(unchecked) private(set) var defersReleases = false
  @exclusivity(unchecked) var waitingObjects: ContiguousArray<AnyObject> = []
  /// Storage for new objects while the waiting ones are released.
  @exclusivity(unchecked) var spareObjects: ContiguousArray<AnyObject> = []
  /// Receives what scripts print; see `redirectOutput`.
  var outputSink: ((OutputStream, UnsafeRawBufferPointer) -> Void)?
  /// The restrictions on its scripts; nil for none. See `confine(to:)`.
  public internal(set) var confinement: Confinement?
  /// The number of calls that `confinement` has refused.
  public internal(set) var refusals = 0
  /// The distinct explanations of these refusals.
  var explanations: Set<String> = []
  var storedDeadline: Duration?
  var storedTimeLimit: Duration?
  var storedCleanUpTime: Duration?

  /// Opens an interpreter. `memoryLimit` is in bytes; it applies while Lua code runs, not inside
  /// host functions. Throws if there is no memory, or no timer (`ulimit -i`).
  public init(memoryLimit: Int? = nil) throws(LuaError) {
    let owner = Unmanaged.passUnretained(self).toOpaque()
    guard
      let host = rac_lua_open(owner, memoryLimit ?? 0, LuaHostFunction.dispatch, releaseObject)
    else {
      throw LuaError(
        value: "not enough memory for an interpreter",
        message: "not enough memory for an interpreter", kind: .memoryLimit)
    }
    guard rac_lua_has_timer(host) else {
      rac_lua_shut(host)
      throw LuaError("the system provides no timer with which to stop code")
    }
    rac_lua_on_late_call(host, LuaHostFunction.make)
    lifetime.open(host)
  }

  deinit {
    // Without the close variables of coroutines: they could call host functions, which need the
    // interpreter.
    if let host = lifetime.host {
      lifetime.close()
      rac_lua_disown(host)
      rac_lua_shut(host)
    }
  }

  /// True until it is closed.
  public var isOpen: Bool { lifetime.host != nil }

  /// A number that differs for every interpreter of the process.
  public var generation: UInt64 { lifetime.host.map { rac_lua_generation($0) } ?? 0 }

  /// Closes the interpreter: suspended coroutines that the host references run their `<close>`
  /// variables, then every object is finalised and freed. References and host functions become
  /// invalid. If its code is running or its stack is in use, closing waits until the outermost call
  /// has returned. Idempotent. An interpreter that is dropped closes too, but without the `<close>`
  /// variables.
  public func close() {
    guard let host = lifetime.confinedHost, !isClosing else { return }
    guard rac_lua_depth(host) == 0, entries == 0 else {
      closeRequested = true
      return
    }
    isClosing = true
    rac_lua_reset_all(host)
    lifetime.close()
    rac_lua_shut(host)
    releaseCollected()
    onCollected = nil
    outputSink = nil
    registrations = []
    lateFunction = nil
    errorBridge = nil
  }

  /// Calls `body` with the current stack (that of the innermost running host function or coroutine,
  /// or the interpreter's own), with 20 free slots, and afterwards drops what `body` left there.
  /// Nil if the interpreter has closed or Lua's stack is full.
  @inlinable
  public func withStack<Result, Failure: Error>(
    _ body: (LuaStack) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard let host = lifetime.confinedHost else { return nil }
    lifetime.drain()
    let stack = LuaStack(rac_lua_current(host))
    guard lua_checkstack(stack.state, 40) != 0 else { return nil }
    let top = lua_gettop(stack.state)
    entries += 1
    defer {
      lua_settop(stack.state, top)
      entries -= 1
      if closeRequested, entries == 0 { close() }
    }
    return try body(stack)
  }

  /// The number of calls from the host into Lua on the stack. Lua allows about 190.
  public var nestingDepth: Int { lifetime.confinedHost.map { Int(rac_lua_depth($0)) } ?? 0 }

  /// Returns the reason why nothing can be called: the interpreter has closed, or the stack is
  /// full.
  @usableFromInline func unavailable() -> LuaError {
    isOpen ? Self.fullStackError : Self.closedError
  }

  @usableFromInline static let closedError = LuaError(
    value: "the interpreter has closed", message: "the interpreter has closed", kind: .closed)

  static let fullStackError = LuaError(
    value: "stack overflow", message: "stack overflow", origin: .interpreter, kind: .depth)
}

// MARK: - Memory

extension LuaInterpreter {
  /// The bytes that Lua holds.
  public var memoryInUse: Int { lifetime.confinedHost.map { rac_lua_memory($0) } ?? 0 }

  /// The limit in bytes; nil for none.
  public var memoryLimit: Int? {
    get {
      guard let host = lifetime.confinedHost, case let limit = rac_lua_memory_limit(host), limit > 0
      else {
        return nil
      }
      return limit
    }
    set {
      if let host = lifetime.confinedHost { rac_lua_set_memory_limit(host, newValue ?? 0) }
    }
  }

  /// Applies the memory limit to the process as well, which may grow by one and a half times the
  /// limit from now on, so that the host's memory for scripts counts. Interpreters that are open at
  /// the same time share the sum of their limits. An overrun stops the running code within about a
  /// tenth of a second, with an error of kind `memoryLimit` that no `pcall` catches.
  public func boundProcess() {
    if let host = lifetime.confinedHost { rac_lua_set_process_limit(host, memoryLimit ?? 0) }
  }

  /// True if the process has exceeded that limit; long work outside Lua has to check it.
  public var isProcessFull: Bool { lifetime.confinedHost.map { rac_lua_is_crowded($0) } ?? false }

  /// The message for exceeding the memory limit.
  public var memoryLimitText: String {
    guard let limit = memoryLimit else { return "not enough memory" }
    let text = limit < 1 << 20 ? "\(limit >> 10) KiB" : "\(limit >> 20) MiB"
    return "the memory limit of \(text) is reached"
  }

  /// Runs `body` without the limit, so that reporting the limit does not fail because of it.
  public func withoutMemoryLimit<Result>(_ body: () -> Result) -> Result {
    let limit = memoryLimit
    memoryLimit = nil
    defer { memoryLimit = limit }
    return body()
  }

  /// The number of references that the host holds.
  public var referenceCount: Int { lifetime.host.map { Int(rac_lua_ref_count($0)) } ?? 0 }
}

// MARK: - Interrupts

extension LuaInterpreter {
  /// Stops the running Lua code with an error that no `pcall` catches, until `clearInterrupt()`.
  /// Does nothing if no code runs, unless `pending`: then the next call fails.
  ///
  /// The interrupt takes effect between two Lua instructions. A long operation inside C, such as a
  /// pattern match or `string.rep`, runs to its end first. Variables with `<close>` and `__gc`
  /// metamethods still run, each for at most about a million instructions.
  public func interrupt(pending: Bool = false) {
    if let host = lifetime.host { rac_lua_interrupt(host, pending) }
  }

  /// Makes a signal that interrupts Lua code also stop the next call if it arrives while this
  /// interpreter runs no code, and all later calls until `clearInterrupt()`.
  public func awaitInterrupt(by signal: Int32) {
    if let host = lifetime.confinedHost { rac_lua_await_interrupt(host, signal) }
  }

  /// Undoes `awaitInterrupt(by:)`.
  public func ignoreInterrupt(by signal: Int32) {
    if let host = lifetime.confinedHost { rac_lua_ignore_interrupt(host, signal) }
  }

  /// Clears an interrupt; code may run again.
  public func clearInterrupt() {
    if let host = lifetime.confinedHost { rac_lua_clear_interrupt(host) }
  }

  /// True while an interrupt is in force.
  public var isInterrupted: Bool { lifetime.host.map { rac_lua_is_interrupted($0) } ?? false }

  /// Makes a signal interrupt every interpreter that is running Lua on this thread; then the currently
  /// installed handler runs. A signal that arrives on another thread is forwarded to
  /// this one. Call it again after another handler was installed (libuv installs its own with every
  /// first listener for a signal). Throws an errno's text.
  public static func interruptOnSignal(_ signal: Int32) throws(LuaError) {
    let code = rac_lua_interrupt_on_signal(signal)
    guard code == 0 else {
      throw LuaError("cannot handle signal \(signal): \(systemErrorText(code))")
    }
  }
}
