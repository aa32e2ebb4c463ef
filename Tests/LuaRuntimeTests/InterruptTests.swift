import Dispatch
import LuaRuntime
import Platform
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized) struct InterruptTests {
  let lua: LuaInterpreter

  init() throws {
    lua = try LuaInterpreter()
    lua.define("stop") { call in
      call.interpreter.interrupt()
      return .none
    }
  }

  @Test(arguments: [
    "stop() while true do end",
    "stop() repeat until false",
    "stop() for i = 1, math.huge do end",
    "stop() while true do pcall(function() while true do end end) end",
    "while true do pcall(stop) end",
    "while true do load(stop) end",
    "load(function() stop() while true do end end)",
    "while true do xpcall(stop, function() return 'caught' end) end",
    "stop() xpcall(function() while true do end end, function(e) while true do end end)",
    "coroutine.wrap(function() stop() while true do end end)()",
    "while true do coroutine.resume(coroutine.create(function() stop() while true do end end)) end",
    "while true do local co = coroutine.create(stop) coroutine.resume(co) end",
    "local f = coroutine.wrap(function() while true do coroutine.yield() end end) stop() while true do f() end",
    "table.sort({1, 2, 3}, function(a, b) stop() while true do end end)",
    "stop() local function f() return f() end f()",
    "local ok = pcall(pcall, pcall, stop) while true do end",
    "stop() string.gsub('x', 'x', function() while true do end end)",
    "local t = setmetatable({}, {__index = function() while true do end end}) stop() return t.x",
    "local t = setmetatable({}, {__lt = function() while true do end end}) stop() return t < t",
    "local t = setmetatable({}, {__concat = function() while true do end end}) stop() return t .. ''",
    "do local c <close> = setmetatable({}, {__close = function() stop() while true do end end}) end",
    """
    local co = coroutine.create(function()
      local c <close> = setmetatable({}, {__close = function() stop() while true do end end})
      coroutine.yield()
    end)
    coroutine.resume(co)
    while true do pcall(coroutine.close, co) end
    """,
    """
    local f = coroutine.wrap(function()
      local c <close> = setmetatable({}, {__close = function() while true do end end})
      stop()
      while true do end
    end)
    while true do pcall(f) end
    """,
  ])
  func nothingAScriptDoesWithstandsAnInterrupt(code: String) throws {
    let error = try failure(lua, code)
    #expect(error.isInterrupt)
    #expect(error.message == "interrupted")
    #expect(lua.isInterrupted)
  }

  @Test func itIsStickyUntilCleared() throws {
    #expect(try failure(lua, "stop() while true do end").isInterrupt)
    #expect(try failure(lua, "return 1").isInterrupt)
    lua.clearInterrupt()
    #expect(try eval(lua, "local n = 0 for i = 1, 1000 do n = n + i end return n") == 500_500)
  }

  @Test func itReachesACoroutineOfTheHost() throws {
    let function = try lua.load("stop() while true do end", chunkName: "=test")
    let coroutine = try LuaCoroutine(lua, .reference(function))
    #expect(coroutine.resume().error?.isInterrupt == true)
    let another = try LuaCoroutine(lua, .reference(function))
    #expect(another.resume().error?.isInterrupt == true)
  }

  @Test(arguments: [
    "stop() while true do end", "pcall(function() stop() while true do end end)",
    "coroutine.wrap(function() stop() while true do end end)()",
  ])
  func aLoopInACloseVariableOfACoroutineIsStoppedToo(_ code: String) throws {
    let function = try lua.load(
      """
      local c <close> = setmetatable({}, {__close = function() closing = true while true do end end})
      \(code)
      """, chunkName: "=test")
    let coroutine = try LuaCoroutine(lua, .reference(function))
    let error = coroutine.resume().error
    #expect(error?.isInterrupt == true)
    #expect(error?.position == "test:2")
    #expect(lua.global("closing") == true)
  }

  @Test func closeVariablesStillRun() throws {
    let error = try failure(
      lua,
      """
      local c <close> = setmetatable({}, {__close = function()
        for i = 1, 100 do closed = i end
      end})
      stop() while true do end
      """)
    #expect(error.isInterrupt)
    lua.clearInterrupt()
    #expect(lua.global("closed") == 100)
    #expect(
      try failure(
        lua,
        """
        local c <close> = setmetatable({}, {__close = function() while true do end end})
        stop() while true do end
        """
      ).isInterrupt)
  }

  @Test func withoutRunningCodeItDoesNothingUnlessPending() throws {
    lua.interrupt()
    #expect(try eval(lua, "return 1") == 1)
    lua.interrupt(pending: true)
    #expect(try failure(lua, "return 1").isInterrupt)
    lua.clearInterrupt()
    #expect(try eval(lua, "return 1") == 1)
  }

  // What the earlier handler of the chain has seen.
  static let seen = Atomic(0)
  static let onThread = Atomic<UInt>(0)

  // Threads of a dispatch queue have their signals blocked.
  private static func unblocking(_ body: () throws -> Void) rethrows {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGUSR1)
    var before = sigset_t()
    pthread_sigmask(SIG_UNBLOCK, &signals, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }

  private func installEarlierHandler() {
    var action = sigaction()
    #if canImport(Glibc)
      action.__sigaction_handler.sa_handler = { _ in
        InterruptTests.seen.add(1, ordering: .relaxed)
        InterruptTests.onThread.store(UInt(pthread_self()), ordering: .relaxed)
      }
    #else
      action.__sigaction_u.__sa_handler = { _ in InterruptTests.seen.add(1, ordering: .relaxed) }
    #endif
    sigaction(SIGUSR1, &action, nil)
  }

  @Test func aSignalInterruptsAfterTheHandlerThatWasThere() throws {
    installEarlierHandler()
    Self.seen.store(0, ordering: .relaxed)
    try LuaInterpreter.interruptOnSignal(SIGUSR1)
    try LuaInterpreter.interruptOnSignal(SIGUSR1)
    lua.define("signal") { _ in
      raise(SIGUSR1)
      return .none
    }
    try Self.unblocking {
      let error = try failure(lua, "signal() while true do end")
      #expect(error.isInterrupt)
      #expect(Self.seen.load(ordering: .relaxed) == 1)
      lua.clearInterrupt()
      raise(SIGUSR1)
    }
    #expect(Self.seen.load(ordering: .relaxed) == 2)
    #expect(!lua.isInterrupted)
  }

  @Test func aSignalBeginsTheEndAsItArrives() throws {
    installEarlierHandler()
    try LuaInterpreter.interruptOnSignal(SIGUSR1)
    // Long enough for a machine that stands still for a while before the code runs.
    lua.end(by: SIGUSR1, within: .milliseconds(500))
    #expect(try eval(lua, "return 1") == 1)
    Self.unblocking { _ = raise(SIGUSR1) }
    #expect(try failure(lua, "return 1").isInterrupt)
    // Whoever takes the interrupt back, for whatever reason, does not take back the end.
    lua.clearInterrupt()
    #expect(try failure(lua, "while true do end").kind == .timeLimit)
    #expect(try failure(lua, "return 1").isInterrupt)
  }

  @Test func aSignalOnAnotherThreadIsPassedOn() throws {
    installEarlierHandler()
    Self.seen.store(0, ordering: .relaxed)
    try LuaInterpreter.interruptOnSignal(SIGUSR1)
    lua.define("signal_elsewhere") { _ in
      DispatchQueue(label: "elsewhere").async {
        Self.unblocking { _ = pthread_kill(pthread_self(), SIGUSR1) }
      }
      return .none
    }
    try Self.unblocking {
      let error = try failure(lua, "signal_elsewhere() while true do end")
      #expect(error.isInterrupt)
    }
    #expect(Self.seen.load(ordering: .relaxed) == 1)
    #if canImport(Glibc)
      #expect(Self.onThread.load(ordering: .relaxed) == UInt(pthread_self()))
    #endif
  }

  @Test func aSignalStopsEveryInterpreterThatRuns() throws {
    installEarlierHandler()
    try LuaInterpreter.interruptOnSignal(SIGUSR1)
    let inner = try LuaInterpreter()
    inner.define("signal") { _ in
      raise(SIGUSR1)
      return .none
    }
    lua.define("nested") { _ in
      try inner.run("pcall(signal) while true do end")
      return .none
    }
    try Self.unblocking {
      let error = try failure(lua, "while true do pcall(nested) end")
      #expect(error.isInterrupt)
    }
    #expect(inner.isInterrupted)
  }
}
