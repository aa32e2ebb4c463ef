import Dispatch
import LuaRuntime
import Testing

@Suite struct ReferenceTests {
  let lua: LuaInterpreter
  init() throws { lua = try LuaInterpreter() }

  @Test func aKeptValueStaysUntilItIsReleased() throws {
    try eval(lua, "weak = setmetatable({}, {__mode = 'v'})")
    let count = lua.referenceCount
    var table: LuaValue? = try eval(lua, "weak[1] = {}; return weak[1]")
    let kept = lua.withStack { stack in
      stack.push(table ?? .nil)
      return stack.keep()
    }
    table = nil
    lua.collectGarbage()
    #expect(try eval(lua, "return weak[1] ~= nil") == true)
    #expect(lua.referenceCount == count + 1)
    lua.release(try #require(kept))
    lua.collectGarbage()
    #expect(try eval(lua, "return weak[1] == nil") == true)
    #expect(lua.referenceCount == count)
  }

  @Test func aDroppedReferenceLetsItsTableGo() throws {
    try eval(lua, "weak = setmetatable({}, {__mode = 'v'})")
    let before = lua.referenceCount
    var table: LuaValue? = try eval(lua, "weak[1] = {}; return weak[1]")
    #expect(lua.referenceCount == before + 1)
    lua.collectGarbage()
    #expect(try eval(lua, "return weak[1] ~= nil") == true)
    withExtendedLifetime(table) {}
    table = nil
    #expect(lua.referenceCount == before)
    lua.collectGarbage()
    #expect(try eval(lua, "return weak[1] == nil") == true)
  }

  @Test func slotsAreUsedAgain() throws {
    let make = try lua.load("return {}", chunkName: "=test")
    for _ in 0..<100 { _ = try lua.call(make) }
    lua.collectGarbage()
    let memory = lua.memoryInUse
    for _ in 0..<10_000 { _ = try lua.call(make) }
    lua.collectGarbage()
    #expect(lua.memoryInUse <= memory + 256)
  }

  @Test func aReferenceDroppedOnAnotherThreadIsReleasedAtTheNextEntry() throws {
    let before = lua.referenceCount
    let box = Box(try eval(lua, "return {}").referenceValue)
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "dropper").async {
      box.drop()
      done.signal()
    }
    done.wait()
    #expect(lua.referenceCount == before + 1)
    _ = lua.withStack { _ in }
    #expect(lua.referenceCount == before)
  }

  @Test func aReferenceOutlivesItsInterpreterHarmlessly() throws {
    let table = try eval(lua, "return {}")
    let reference = try #require(table.referenceValue)
    lua.close()
    #expect(!reference.isAlive)
    let other = try LuaInterpreter()
    let type = try other.load("return type(...)", chunkName: "=test")
    #expect(try other.call(type, table) == ["nil"])
  }

  @Test func aReferenceOfAnotherInterpreterIsNil() throws {
    let other = try LuaInterpreter()
    let table = try eval(lua, "return {}")
    let type = try other.load("return type(...)", chunkName: "=test")
    #expect(try other.call(type, table) == ["nil"])
  }

  // Handed over once, from one thread to another.
  private final class Box: @unchecked Sendable {
    private var reference: LuaReference?
    init(_ reference: LuaReference?) { self.reference = reference }
    func drop() { reference = nil }
  }
}
