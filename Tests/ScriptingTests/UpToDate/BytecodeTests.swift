import LuaRuntime
import Testing

@testable import Scripting

@Suite struct BytecodeTests {
  private func bytecode(_ code: String) throws -> Bytecode {
    let script = try Script()
    defer { script.finish() }
    let dumped = try script.host.interpreter.run("return string.dump(load[==[\(code)]==], true)")
    let bytes = try #require(dumped.first?.stringValue).bytes
    return try #require(Bytecode(bytes))
  }

  @Test("lines and comments do not count, code does") func normalized() throws {
    let first = try bytecode("local a = 1.5 return function(x) return x + a, 'text', nil, true end")
    let same = try bytecode(
      "-- comment\n\nlocal a = 1.5 --[[ more ]]\nreturn function(x)\n return x + a, 'text', nil, true end"
    )
    let other = try bytecode("local a = 2.5 return function(x) return x + a, 'text', nil, true end")
    #expect(first.normalized == same.normalized)
    #expect(first.normalized != other.normalized)
  }

  @Test("all strings are found, also long ones and those of inner functions") func strings() throws
  {
    let long = String(repeating: "x", count: 300)
    let strings = try bytecode("require 'mod' return function() return {'inner', '\(long)'} end")
      .strings.map { String(decoding: $0, as: UTF8.self) }
    #expect(Set(["require", "mod", "inner", long]).isSubset(of: strings))
  }

  @Test("what is cut or of another version is refused") func malformed() throws {
    let script = try Script()
    defer { script.finish() }
    let dumped = try script.host.interpreter.run(
      "return string.dump(function(a, ...) local t = {a, 'x', 1, 2.5} for i = 1, 10 do t[i] = ... end end, true)"
    )
    let bytes = try #require(dumped.first?.stringValue).bytes
    for count in 0..<bytes.count { #expect(Bytecode(Array(bytes.prefix(count))) == nil) }
    var other = bytes
    other[4] = 0x53
    #expect(Bytecode(other) == nil)
  }
}
