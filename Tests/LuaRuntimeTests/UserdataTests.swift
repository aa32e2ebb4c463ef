import LuaRuntime
import Testing

@Suite struct UserdataTests {
  class Animal {
    var name: String
    init(_ name: String) { self.name = name }
  }
  final class Dog: Animal {}

  static let animal = LuaUserdataType<Animal>("animal")
  static let dog = LuaUserdataType<Dog>("dog", parent: animal)
  static let member = LuaUserdataType<Census.Member>("member")

  let lua: LuaInterpreter
  let census = Census()

  init() throws {
    lua = try LuaInterpreter()
    lua.register(Self.animal) { type in
      type.method("describe") { call in
        call.returning(.string("an animal called \(try call.object(at: 1, Self.animal).name)"))
      }
      type.method("meet") { call in
        let other = try call.object(at: 2, Self.animal)
        return call.returning(.string("\(try call.object(at: 1, Self.animal).name)+\(other.name)"))
      }
      type.getter("name") { call in
        call.returning(.string(try call.object(at: 1, Self.animal).name))
      }
      type.setter("name") { call in
        try call.object(at: 1, Self.animal).name = try call.string(at: 2)
        return .none
      }
      type.getter("broken") { _ in throw LuaError("broken getter") }
      type.metamethod("__tostring") { call in
        call.returning(.string("<\(try call.object(at: 1, Self.animal).name)>"))
      }
      type.metamethod("__eq") { call in
        let same =
          try call.object(at: 1, Self.animal).name == call.object(at: 2, Self.animal).name
        return call.returning(.bool(same))
      }
      type.metamethod("__close") { call in
        try call.object(at: 1, Self.animal).name = "closed"
        return .none
      }
    }
    lua.register(Self.dog) { type in
      type.method("bark") { call in
        call.returning(.string("\(try call.object(at: 1, Self.dog).name) barks"))
      }
    }
    lua.register(Self.member) { _ in }
    set("cat", Animal("Tom"), Self.animal)
    set("dog", Dog("Rex"), Self.dog)
  }

  private func set<Object>(
    _ name: String, _ object: Object, _ type: LuaUserdataType<Object>, userValues: Int = 0
  ) {
    let value = lua.withStack { stack in
      stack.push(object, as: type, userValues: userValues)
      return stack.value(at: -1)
    }
    lua.setGlobal(name, value ?? .nil)
  }

  @Test func methodsPropertiesAndMetamethods() throws {
    #expect(try eval(lua, "return cat:describe()") == "an animal called Tom")
    #expect(try eval(lua, "return cat.name") == "Tom")
    #expect(try eval(lua, "cat.name = 'Kit'; return cat.name") == "Kit")
    #expect(try eval(lua, "return tostring(cat)") == "<Kit>")
    #expect(try eval(lua, "return cat.missing") == .nil)
    #expect(try eval(lua, "return cat == dog") == false)
    #expect(try eval(lua, "dog.name = 'Kit'; return cat == dog") == true)
    #expect(try eval(lua, "return getmetatable(cat)") == "animal")
    #expect(try eval(lua, "do local c <close> = cat end return cat.name") == "closed")
  }

  @Test func aSubtypePassesAsItsParentButNotTheReverse() throws {
    #expect(try eval(lua, "return dog:describe()") == "an animal called Rex")
    #expect(try eval(lua, "return dog:bark()") == "Rex barks")
    #expect(try eval(lua, "return cat:meet(dog)") == "Tom+Rex")
    #expect(try eval(lua, "return cat.bark") == .nil)
    #expect(
      try failure(lua, "dog.bark(cat)").message
        == "test:1: bad argument #1 to 'bark' (dog expected, got animal)")
  }

  @Test(arguments: [
    ("cat:meet(1)", "bad argument #1 to 'meet' (animal expected, got number)"),
    ("cat.meet(1, cat)", "bad argument #1 to 'meet' (animal expected, got number)"),
    ("cat.other = 1", "cannot set field 'other' of a animal"),
    ("return cat.broken", "broken getter"),
    ("cat.describe(io.stdout)", "bad argument #1 to 'describe' (animal expected, got FILE*)"),
    ("local m = cat.describe; m()", "bad argument #1 to 'm' (animal expected, got no value)"),
  ])
  func wrongUseIsToldInLuasWords(code: String, text: String) throws {
    #expect(try failure(lua, code).message.hasSuffix(text))
  }

  @Test func aCollectedUserdataReleasesItsObject() throws {
    set("held", census.member(), Self.member)
    #expect(census.living == 1)
    lua.collectGarbage()
    #expect(census.living == 1)
    lua.setGlobal("held", .nil)
    lua.collectGarbage()
    #expect(census.living == 0)
  }

  @Test func aReleasedObjectIsRefused() throws {
    try eval(lua, "debug.getmetatable(cat).__gc(cat)")
    #expect(try failure(lua, "cat:describe()").message.contains("animal expected"))
    try eval(
      lua, "pcall(debug.getmetatable(cat).__gc, io.stdout); pcall(debug.getmetatable(cat).__gc)")
  }

  @Test func aCycleThroughUserValuesIsCollected() throws {
    let make = try lua.load(
      "local held = {}; return held, function() return held end", chunkName: "=test")
    let anchor = try #require(
      try lua.withStack { stack throws(LuaError) -> LuaAnchor? in
        stack.push(census.member(), as: Self.member, userValues: 1)
        stack.beginCall()
        stack.push(make)
        try stack.call(arguments: 0, results: 2)
        stack.copy(from: -1)
        stack.setUserValue(1, at: -5)
        stack.copy(from: -4)
        stack.rawSet("self", at: -3)
        let anchor = stack.anchor(at: -4)
        #expect(stack.pushUserValue(anchor!, 1) == .function)
        return anchor
      } ?? nil)
    #expect(census.living == 1)
    lua.collectGarbage()
    #expect(census.living == 0)
    _ = lua.withStack { stack in
      #expect(!stack.push(anchor))
      #expect(stack.pushUserValue(anchor, 1) == .none)
    }
    #expect(!lua.root(anchor))
  }

  @Test func aRootKeepsItsUserdataAsOftenAsItWasRooted() throws {
    let anchor = try #require(
      lua.withStack { stack -> LuaAnchor? in
        stack.push(census.member(), as: Self.member, userValues: 1)
        return stack.anchor(at: -1)
      } ?? nil)
    lua.root(anchor)
    lua.root(anchor)
    lua.collectGarbage()
    lua.unroot(anchor)
    lua.collectGarbage()
    #expect(census.living == 1)
    lua.unroot(anchor)
    lua.unroot(anchor)
    lua.collectGarbage()
    #expect(census.living == 0)
  }

  @Test func anAnchorOfAClosedInterpreterDoesNothing() throws {
    let anchor = try #require(
      lua.withStack { stack in
        stack.push(census.member(), as: Self.member)
        return stack.anchor(at: -1)
      } ?? nil)
    let other = try LuaInterpreter()
    #expect(!other.root(anchor))
    #expect(other.withStack { $0.push(anchor) } == false)
    lua.root(anchor)
    lua.close()
    #expect(census.living == 0)
    lua.unroot(anchor)
  }
}
