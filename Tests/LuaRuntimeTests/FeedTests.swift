import LuaRuntime
import Testing

/// One value for several Lua functions.
@Suite struct FeedTests {
  private let lua: LuaInterpreter
  private let sinks: LuaSinks
  private var pipelines: [LuaPipeline] = []

  init() throws {
    lua = try LuaInterpreter()
    sinks = LuaSinks(lua)
    try eval(
      lua, "log = {} function sink(name) return function(v) log[#log + 1] = name .. v end end")
  }

  private mutating func add(_ code: String) throws {
    let function = try eval(lua, "return " + code)
    let pipeline = try lua.withStack { (stack: LuaStack) throws(LuaError) in
      stack.push(function)
      return try LuaPipeline(popping: stack, [.sink])
    }
    pipelines.append(try #require(pipeline))
    sinks.append(pipelines[pipelines.count - 1])
  }

  /// What the functions have received, and the places that failed with their messages.
  private func feed(_ value: LuaValue) throws -> (String?, [String]) {
    var failures: [String] = []
    lua.feed(sinks, value) { place, error in failures.append("\(place): \(error.message)") }
    return (try eval(lua, "return table.concat(log, ' ')").stringValue?.description, failures)
  }

  @Test mutating func allReceiveInOrder() throws {
    for name in ["a", "b", "c"] { try add("sink '\(name)'") }
    #expect(try feed(1) == ("a1 b1 c1", []))
  }

  @Test mutating func theNextReceiveWhatOneFailsAt() throws {
    try add("function() error('first', 0) end")
    try add("sink 'b'")
    try add("function() error('last', 0) end")
    #expect(try feed(1) == ("b1", ["0: first", "2: last"]))
  }

  @Test mutating func whoHasLeftReceivesNothing() throws {
    for name in ["a", "b", "c", "d"] { try add("sink '\(name)'") }
    sinks.remove(at: 0)
    sinks.remove(at: 2)
    #expect(try feed(1).0 == "b1 d1")
    sinks.compact()
    #expect(sinks.count == 2)
    try add("sink 'e'")
    #expect(try feed(2).0 == "b1 d1 b2 d2 e2")
  }

  @Test mutating func whoIsTakenOutMeanwhileReceivesNothing() throws {
    let sinks = sinks
    lua.define("leave") { call in
      sinks.remove(at: Int(try call.integer(at: 1)))
      return .none
    }
    try add("function() leave(0) leave(2) end")
    try add("sink 'b'")
    try add("sink 'c'")
    #expect(try feed(1) == ("b1", []))
    #expect(try feed(2) == ("b1 b2", []))
  }

  @Test mutating func anInterruptStopsThemAllUntilItIsCleared() throws {
    lua.define("stop") { [lua] _ in
      lua.interrupt()
      return .none
    }
    defer { lua.close() }
    try add("function() stop() while true do end end")
    try add("sink 'b'")
    var failures: [LuaError.Kind] = []
    lua.feed(sinks, 1) { failures.append($1.kind) }
    #expect(failures == [.interrupt, .interrupt])
    lua.clearInterrupt()
    sinks.remove(at: 0)
    #expect(try feed(2) == ("b2", []))
  }

  @Test mutating func aClosedInterpreterAnswersForEach() throws {
    try add("sink 'a'")
    try add("sink 'b'")
    lua.close()
    var failures: [LuaError.Kind] = []
    lua.feed(sinks, 1) { failures.append($1.kind) }
    #expect(failures == [.closed, .closed])
  }
}
