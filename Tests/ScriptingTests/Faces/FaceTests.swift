import Reactive
import ReactiveTesting
import Synchronization
import Testing
import TextFiles

@testable import Scripting

/// A name means the same in Lua and in Swift: both tables of names are gone through, and what both
/// have does the same.
@Suite("The two faces", .timeLimit(.minutes(5))) struct FaceTests {
  // MARK: What names do

  @Test("of a name do the same, for the first subscriber and a late one", arguments: Face.all)
  func behaviour(_ face: Face) throws {
    #expect(try Self.lua(face) == Self.swift(face))
  }

  @Test func areComparedForEverySignalMethodThatBothHave() throws {
    let methods = Library.signalFamilies.flatMap(\.functions).map { "signal:\($0.name)" }
    let functions = Library.functions.map { "rac.\($0.name)" }
    let swift = try SwiftFace.names(of: .signal)
    let both = Set(methods + functions).filter {
      swift.contains(SwiftFace.name(of: $0)) && Self.luaAlone[$0] == nil
    }
    #expect(both.subtracting(Face.all.map(\.name)).subtracting(Self.notCompared.keys) == [])
    #expect(Set(Face.all.map(\.name)).isDisjoint(with: Self.notCompared.keys))
  }

  /// Names of both whose behaviour other tests compare, or that cannot be the same.
  private static let notCompared = [
    "rac.command": "not a signal; CommandTests",
    "rac.start_lazily": "as rac.start_eagerly, but Lua starts it inside the subscription",
    "signal:deliver_on_main": "Swift's main scheduler is the process's, and not in virtual time",
    "signal:log": "Lua writes to the log of the script",
    "signal:subscribe": "what all the others are compared by",
    "signal:first": "waits: blocks in Swift, suspends in Lua",
    "signal:first_or_default": "waits",
    "signal:to_array": "waits",
    "signal:wait_until_completed": "waits",
  ]

  /// What happens to two subscribers, the second of which comes after 2.5 seconds.
  private static func swift(_ face: Face) throws -> [String] {
    let scheduler = TestScheduler()
    let lines = Mutex<[String]>([])
    let note: @Sendable (String) -> Void = { text in
      let tenths = Int(scheduler.now / .milliseconds(100))
      lines.withLock { $0.append("\(tenths / 10).\(tenths % 10) \(text)") }
    }
    let signal = try face.swift(Face.Stage(scheduler: scheduler, note: note))
    let subscriptions = CompoundDisposable()
    let subscribe: @Sendable (String) -> Void = { name in
      subscriptions.add(
        signal.subscribe(
          next: { note("\(name) \($0)") }, error: { _ in note("\(name) #") },
          completed: { note("\(name) |") }))
    }
    subscribe("A")
    scheduler.schedule(after: .milliseconds(2_500)) { subscribe("B") }
    scheduler.advance(by: .seconds(30))
    subscriptions.dispose()
    return lines.withLock { $0 }
  }

  private static func lua(_ face: Face) throws -> [String] {
    try Script.lines(
      """
      local clock <close> = rac.test_scheduler()
      local function note(text) print(string.format("%.1f %s", clock.now, text)) end
      local function cold(marbles)
        return rac.create(function(subscriber)
          local timers = {}
          local function send(mark)
            if mark == "|" then subscriber:send_completed()
            elseif mark == "#" then subscriber:send_error("e")
            elseif mark ~= "-" then subscriber:send_next(mark) end
          end
          for second = 1, #marbles do
            local mark = marbles:sub(second, second)
            timers[second] = rac.scheduler.main:after(second - 1, function() send(mark) end)
          end
          return function() for _, timer in ipairs(timers) do timer:dispose() end end
        end)
      end
      local function text(value)
        if type(value) ~= "table" then return tostring(value) end
        return "[" .. table.concat(value, ",") .. "]"
      end
      local signal = \(face.lua)
      local subscriptions = {}
      local function subscribe(name)
        table.insert(subscriptions, signal:subscribe(
          function(value) note(name .. " " .. text(value)) end,
          function() note(name .. " #") end, function() note(name .. " |") end))
      end
      subscribe("A")
      rac.scheduler.main:after(2.5, function() subscribe("B") end)
      clock:advance(30)
      for _, subscription in ipairs(subscriptions) do subscription:dispose() end
      """)
  }

  // MARK: The names

  @Test("have the same names, but for those that are told of", arguments: SwiftFace.Kind.allCases)
  func names(_ kind: SwiftFace.Kind) throws {
    let swift = try SwiftFace.names(of: kind)
    let lua = kind.luaNames
    let known = Dictionary(
      lua.map { (SwiftFace.name(of: $0), $0) }, uniquingKeysWith: { first, _ in first })
    let missing = lua.filter { !swift.contains(SwiftFace.name(of: $0)) }
    #expect(missing.filter { Self.luaAlone[$0] == nil } == [], "no such name in Swift")
    let alone = swift.filter { known[$0] == nil }
    let told = Self.swiftAlone[kind] ?? [:]
    #expect(alone.filter { told[$0] == nil }.sorted() == [], "no such name in Lua")
    #expect(told.keys.filter { !alone.contains($0) }.sorted() == [], "Lua has it, or Swift not")
  }

  @Test func namesThatLuaHasAloneExistAndAreAlone() throws {
    var left = Set(Self.luaAlone.keys)
    for kind in SwiftFace.Kind.allCases {
      let swift = try SwiftFace.names(of: kind)
      for name in kind.luaNames where !swift.contains(SwiftFace.name(of: name)) {
        left.remove(name)
      }
    }
    #expect(left == [])
  }
}
