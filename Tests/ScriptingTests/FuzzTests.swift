import EventLoop
import LuaRuntime
import Testing

@testable import Scripting

/// Every function of the API with random arguments: whatever a script passes, it gets a result or an
/// error.
@Suite("Fuzz", .timeLimit(.minutes(LongRun.isOn ? 60 : 10))) struct FuzzTests {
  static let calls = LongRun.isOn ? 250_000 : 4_000

  @Test(
    arguments: [
      (seed: 1, limit: nil), (seed: 2, limit: 4_000_000), (seed: 3, limit: 1_500_000),
      (seed: 4, limit: nil),
    ] as [(seed: Int, limit: Int?)])
  func anyArgumentsAreAnswered(seed: Int, limit: Int?) throws {
    var answered = 0
    var remaining = Self.calls
    var part = 0
    while remaining > 0 {
      // A new interpreter now and then: it has to close whatever was done to it.
      let count = min(remaining, 4_000)
      remaining -= count
      part += 1
      answered += try Fuzzing(interrupts: seed == 4, limit: limit)
        .run(calls: count, seed: seed * 1_000_003 + part * 1_009)
    }
    print("fuzz: seed \(seed) answered \(answered) of \(Self.calls) calls")
    #expect(answered > Self.calls / 10)
  }

  static let programs = LongRun.isOn ? 25_000 : 100

  /// Finalisers that do everything, called all the time: whatever runs inside the collector leaves the
  /// host as it was.
  @Test(
    arguments: [
      (seed: 11, limit: nil), (seed: 12, limit: 4_000_000), (seed: 13, limit: 1_500_000),
      (seed: 14, limit: nil),
    ] as [(seed: Int, limit: Int?)])
  func finalisersMayDoAnything(seed: Int, limit: Int?) throws {
    var remaining = Self.programs
    var part = 0
    while remaining > 0 {
      let count = min(remaining, 200)
      remaining -= count
      part += 1
      let fuzzing = try Fuzzing(interrupts: seed == 14, limit: limit, finalises: true)
      _ = try fuzzing.run(
        calls: count * 20, seed: seed * 1_000_003 + part * 1_009, rounds: count)
    }
    print("fuzz: seed \(seed) ran \(Self.programs) programs with finalisers")
  }

  /// What does not keep values in Swift's memory leaves nothing behind.
  @Test func nothingIsLeftBehind() throws {
    let keeping: Set<String> = [
      "behavior_subject", "replay_subject", "command", "start_eagerly", "start_lazily", "replay",
      "replay_last", "replay_lazily", "multicast", "send_error",
    ]
    let fuzzing = try Fuzzing(interrupts: false, limit: nil, leavingOut: keeping)
    _ = try fuzzing.run(calls: Self.calls, seed: 77, rounds: 20)
    try #require(fuzzing.references.count == 20)
    #expect(fuzzing.references[19] <= fuzzing.references[4] + 2, "\(fuzzing.references)")
    #expect(fuzzing.memory[19] < fuzzing.memory[4] + 150_000, "\(fuzzing.memory)")
  }
}

/// One interpreter that runs random programs.
private final class Fuzzing {
  private let interrupts: Bool
  private let limit: Int?
  private let leftOut: Set<String>
  private let finalises: Bool
  private(set) var references: [Int] = []
  private(set) var memory: [Int] = []

  init(
    interrupts: Bool, limit: Int?, leavingOut leftOut: Set<String> = [], finalises: Bool = false
  ) throws {
    self.finalises = finalises
    self.interrupts = interrupts
    self.limit = limit
    self.leftOut = leftOut
  }

  /// Makes random calls and returns how many of them were answered.
  func run(calls: Int, seed: Int, rounds: Int? = nil) throws -> Int {
    let script = try Script()
    defer { script.finish() }
    let host = script.host
    var untilInterrupt = 0
    let interrupts = interrupts
    script.define("chance") { call in
      // An interrupt at some time while Lua code runs.
      untilInterrupt -= 1
      if interrupts, untilInterrupt <= 0 {
        untilInterrupt = 50
        host.interpreter.interrupt()
      }
      return .none
    }
    let ends = Ends()
    var answered = 0
    script.define("answered") { _ in
      answered += 1
      return .none
    }
    let base = host.interpreter.memoryInUse
    var remaining = calls
    var round = 0
    let perRound = rounds.map { calls / $0 } ?? 200
    while remaining > 0 {
      host.interpreter.memoryLimit = limit.map { max($0, base + 400_000) }
      round += 1
      let count = min(remaining, perRound)
      remaining -= count
      // A finaliser may have asked for one while nothing else ran.
      host.interpreter.clearInterrupt()
      let source = ScriptSource.code(program(seed: seed + round, count), name: "fuzz")
      // A finaliser that runs meanwhile may have asked for an interrupt.
      guard let execution = try? host.start(source) else { continue }
      execution.subscribe(error: { error in ends.append(host.failure(of: error)) })
      var turns = 0
      // A call may wait for what never comes: a round is over after some turns.
      while !execution.state.isEnded, turns < 300 {
        script.loop.poll()
        turns += 1
      }
      host.interpreter.memoryLimit = nil
      // Finalisers begin new things.
      host.interpreter.collectGarbage()
      host.cancelAll()
      host.disposeSubscriptions()
      turns = 0
      while script.loop.liveProcesses > 0 { script.loop.runOnce() }
      while turns < 3 {
        script.loop.poll()
        turns += 1
      }
      host.interpreter.collectGarbage()
      host.interpreter.collectGarbage()
      #expect(host.interpreter.isOpen)
      references.append(host.interpreter.referenceCount)
      memory.append(host.interpreter.memoryInUse)
    }
    // Only what was meant to stop a script has stopped one.
    let others = ends.all.filter { $0.kind != .cancelled && $0.kind != .limit }
    #expect(others.isEmpty, "\(others.map(\.message))")
    guard !finalises else { return answered }
    #expect(host.activeRuns == 0)
    #expect(host.executions.isEmpty)
    #expect(host.activeSubscriptions == 0)
    return answered
  }

  private final class Ends: @unchecked Sendable {
    private(set) var all: [Failure] = []
    func append(_ failure: Failure) { all.append(failure) }
  }

  /// A script of random calls. It draws from the tables of the library itself, so that new functions
  /// take part.
  private func program(seed: Int, _ count: Int) -> String {
    """
    local state = \(seed)
    local function random(n)
      state = (state * 6364136223846793005 + 1442695040888963407)
      return (state >> 33) % n + 1
    end
    local strings = {"", "a", "a\\0b", "\\xff\\xfe", "1", "0x10", ("long"):rep(50), "next", "kind", "/", "[1]"}
    local numbers = {0, 1, -1, 2, 0.5, -0.0, 1e300, 1/0, -1/0, 0/0, math.maxinteger, math.mininteger, 2^53, 3}
    local made = {}
    local values
    local function value() return values[random(#values)]() end
    local function keep(v)
      if type(v) == "userdata" then made[random(40)] = v end
      return v
    end
    local rac_functions = {}
    local skip = {sh = true, exec = true, watch = true, stdin = true, \(leftOut.sorted().map { "\($0) = true" }.joined(separator: ", "))}
    for name, f in pairs(rac) do
      if type(f) == "function" and not skip[name] then rac_functions[#rac_functions + 1] = name end
    end
    for name, f in pairs(rac.json) do rac_functions[#rac_functions + 1] = f end
    for name, f in pairs(rac.log) do rac_functions[#rac_functions + 1] = f end
    table.sort(rac_functions, function(a, b) return tostring(a) < tostring(b) end)
    local methods = {\(methodNames)}
    local keys = {\(propertyNames), "nonsense", 1}
    values = {
      function() return nil end, function() return random(2) == 1 end,
      function() return numbers[random(#numbers)] end,
      function() return strings[random(#strings)] end,
      function() return {} end,
      function() return {random(3), strings[random(#strings)], n = random(5)} end,
      function() return {n = numbers[random(#numbers)]} end,
      function() return {[value() or 1] = value()} end,
      function() return {run = function() return value() end, enabled = value(), name = value()} end,
      function() return {next = value(), error = value(), completed = value()} end,
      function() return {kind = strings[8], value = value()} end,
      function() return setmetatable({}, {__index = function() error("index") end, __eq = function() error{} end,
        __tostring = function() return random(2) == 1 and "t" or 5 end, __len = function() return "x" end}) end,
      function() return function(...) chance() return ... end end,
      function() return function() error(value()) end end,
      function() return function() return value() end end,
      function() return function(s) pcall(function() s:send_next(value()) s:send_completed() end) end end,
      function() return function() rac.sleep(0) end end,
      function() return coroutine.create(function() end) end,
      function() return print end, function() return io.stdout end,
      function() return rac.tuple(value(), 1) end,
      function() return rac.just(random(3)) end, function() return rac.range(1, 3) end,
      function() return rac.error(value()) end, function() return rac.timer(0) end,
      function() return rac.subject() end, function() return rac.scheduler.main end,
      function() return made[random(40)] end, function() return made[random(40)] end,
      function() return made[random(40)] end,
    }
    local one
    function one()
      chance()
      local target
      if random(3) == 1 then
        target = rac_functions[random(#rac_functions)]
        if type(target) == "string" then target = rac[target] end
        return keep(target(table.unpack({value(), value(), value(), value()}, 1, random(5) - 1)))
      end
      local object = made[random(40)] or rac.just(value())
      local choice = random(8)
      if choice == 1 then return keep(object[keys[random(#keys)]]) end
      if choice == 2 then object[keys[random(#keys)]] = value() return end
      if choice == 3 then return tostring(object), object == value() end
      local method = object[methods[random(#methods)]]
      if method == nil then return end
      local receiver = random(12) == 1 and value() or object
      return keep(method(receiver, table.unpack({value(), value(), value()}, 1, random(4) - 1)))
    end
    \(finalises ? Self.finalisers : "")
    for i = 1, \(count) do
      local how = random(10)
      if how == 1 then coroutine.wrap(function() pcall(one) end)()
      elseif how == 2 then rac.async(function() one() end):subscribe(nil, function() end)
      else pcall(one) end
      answered()
    end
    """
  }

  private static let finalisers = """
    local function finaliser()
      local how = random(9)
      if how == 1 then pcall(one)
      elseif how == 2 then xpcall(one, function() return value() end)
      elseif how == 3 then coroutine.resume(coroutine.create(function() one() coroutine.yield() end))
      elseif how == 4 then pcall(coroutine.wrap(function() error(value()) end))
      elseif how == 5 then pcall(rac.async(function() one() rac.sleep(0) one() end).subscribe)
      elseif how == 6 then pcall(coroutine.close, coroutine.create(one))
      elseif how == 7 then pcall(string.rep, "x", 1 << 16)
      elseif how == 8 then one()
      else error(value()) end
    end
    -- Each of them may make others: without an end to it, there would be ever more.
    local left = 200
    local function finalised()
      left = left - 1
      return left < 0 and {} or setmetatable({value()}, {__gc = finaliser})
    end
    for _ = 1, 10 do values[#values + 1] = finalised end
    local pick = random(3)
    if pick == 1 then collectgarbage("incremental", 10, 1000)
    elseif pick == 2 then collectgarbage("generational", 1, 1)
    else collectgarbage("incremental", 100, 400, 5) end
    local inner = one
    one = function()
      for _ = 1, random(5) do finalised() end
      return inner()
    end
    """

  private var methodNames: String {
    // Without an end they would take the whole round.
    let left = leftOut.union(["repeated", "retry"])
    return quoted(Library.objects.flatMap(\.methods).map(\.name).filter { !left.contains($0) })
  }

  private var propertyNames: String {
    quoted(Library.objects.flatMap(\.properties).map(\.name))
  }

  private func quoted(_ names: [String]) -> String {
    Set(names).sorted().map { "\"\($0)\"" }.joined(separator: ", ")
  }
}
