import LuaRuntime
import Testing

@Suite struct ValueTests {
  let lua: LuaInterpreter
  init() throws { lua = try LuaInterpreter() }

  @Test func aValueIsTwoWordsWide() {
    #expect(MemoryLayout<LuaValue>.stride == 16)
  }

  @Test(arguments: [
    LuaValue.nil, true, false, .integer(0), .integer(.max), .integer(.min),
    .integer(9_007_199_254_740_993), .number(0.1), .number(.infinity), .string(""), .string("a"),
    .string(LuaString([0, 65, 0, 255, 254])),
  ])
  func aValueComesBackAsItWas(value: LuaValue) throws {
    let identity = try lua.load("return ...", chunkName: "=test")
    #expect(try lua.call(identity, value) == [value])
  }

  @Test func integersAndFloatsStayApart() throws {
    let type = try lua.load("return math.type(...)", chunkName: "=test")
    #expect(try lua.call(type, .integer(1)) == ["integer"])
    #expect(try lua.call(type, .number(1)) == ["float"])
    if case .number = try eval(lua, "return 2^53") {} else { Issue.record("not a float") }
    if case .integer = try eval(lua, "return 1 << 53") {} else { Issue.record("not an integer") }
  }

  @Test func notANumberAndMinusZeroKeepTheirBits() throws {
    #expect(try eval(lua, "return 0/0").numberValue?.isNaN == true)
    let zero = try #require(try eval(lua, "return -0.0").numberValue)
    #expect(zero.sign == .minus)
  }

  @Test func rawEqualityIsLuas() {
    #expect(LuaValue.integer(1) == .number(1))
    #expect(LuaValue.integer(1).hashValue == LuaValue.number(1).hashValue)
    #expect(LuaValue.integer(.max) != .number(0x1p63))
    #expect(LuaValue.number(.nan) != .number(.nan))
    #expect(LuaValue.string("1") != .integer(1))
  }

  @Test func invalidTextIsRepairedOnlyWhenDecoded() {
    let string = LuaString([104, 255, 105])
    #expect(string.description == "h\u{FFFD}i")
    #expect(string.text == nil)
    #expect(string.count == 3)
    #expect(LuaString(utf8: "hé").text == "hé")
    #expect(Set([LuaString(utf8: "x"), LuaString([120])]).count == 1)
  }

  @Test func aTableComesBackByIdentity() throws {
    let table = try eval(lua, "t = {}; return t")
    let same = try lua.load("return ... == t", chunkName: "=test")
    #expect(try lua.call(same, table) == [true])
    #expect(try eval(lua, "return t") == table)
    #expect(try eval(lua, "return {}") != table)
  }
}
