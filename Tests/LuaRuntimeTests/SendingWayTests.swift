import LuaRuntime
import Testing

/// Values that a method in Lua sends to sinks on the short way, by their answer to each.
@Suite struct SendingWayTests {
  private final class Sinks: LuaSinks {
    var turn = Turn.sole
    /// True if something waits for the end of the next turn.
    var waits = false
    var onCatchUp: () throws -> Void = {}
    private(set) var events: [String] = []

    override func beginSending() -> Turn { turn }

    override func fail(at place: Int, _ error: LuaError) {
      events.append("\(place): \(error.message)")
    }

    override func endSending() -> Bool {
      events.append("end")
      return !waits
    }

    override func catchUp() {
      events.append("catch up")
      do { try onCatchUp() } catch { events.append("\(error)") }
    }
  }

  private final class Subject {
    let way = LuaSendingWay()
  }

  private static let subject = LuaUserdataType<Subject>("subject")

  private let lua: LuaInterpreter
  private let sinks: Sinks

  init() throws {
    let lua = try LuaInterpreter(memoryLimit: 4 << 20)
    self.lua = lua
    sinks = Sinks(lua)
    lua.register(Self.subject) { type in
      type.sender("send") { [unowned lua] _ in
        try eval(lua, "log[#log + 1] = 'by way of the host'")
        return .none
      }
    }
    try eval(lua, "log = {} function receive(v) log[#log + 1] = v end")
    for code in ["receive", "function(v) error('no ' .. v, 0) end", "receive"] {
      try add(try eval(lua, "return " + code))
    }
    let subject = Subject()
    subject.way.lead(to: sinks)
    let userdata = lua.withStack { stack in
      stack.push(subject, as: Self.subject)
      stack.set(subject.way, at: -1)
      return stack.value(at: -1)
    }
    lua.setGlobal("subject", try #require(userdata))
  }

  private func add(_ function: LuaValue) throws {
    let kept = lua.withStack { stack in
      stack.push(function)
      return stack.keep()
    }
    sinks.append(try #require(kept))
  }

  private func send(_ value: String) throws -> String? {
    try eval(lua, "log = {} subject:send('\(value)') return table.concat(log, ' ')")
      .stringValue?.description
  }

  @Test func soleReceiversTakeTheShortWay() throws {
    #expect(try send("a") == "a a")
    #expect(sinks.events == ["1: no a", "end"])
  }

  @Test func whileSomethingIsSentTheHostSends() throws {
    sinks.turn = .busy
    #expect(try send("a") == "by way of the host")
    #expect(sinks.events == [])
  }

  @Test func sharedReceiversGiveTheirTurnBackFirst() throws {
    sinks.turn = .shared
    #expect(try send("a") == "by way of the host")
    #expect(sinks.events == ["end"])
  }

  /// The host can run Lua there and needs memory that Lua is not refused: an error would end the host's
  /// code unseen.
  @Test(arguments: [LuaSinks.Turn.sole, .shared])
  func whatHasWaitedRunsAsHostCode(_ turn: LuaSinks.Turn) throws {
    sinks.turn = turn
    sinks.waits = true
    sinks.onCatchUp = { [lua] in
      try eval(lua, "log[#log + 1] = 'caught up'")
      let big = lua.withStack { stack in
        stack.push(String(repeating: "z", count: 8 << 20))
        return stack.value(at: -1).stringValue?.count
      }
      #expect(big == 8 << 20)
      #expect(try failure(lua, "string.rep('x', 8 << 20)").isMemoryLimit)
    }
    defer { sinks.onCatchUp = {} }
    #expect(
      try send("a") == (turn == .sole ? "a a caught up" : "caught up by way of the host"))
    #expect(sinks.events.suffix(2) == ["end", "catch up"])
    #expect(try failure(lua, "string.rep('x', 8 << 20)").isMemoryLimit)
  }
}
