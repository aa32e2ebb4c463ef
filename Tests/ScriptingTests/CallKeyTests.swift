import LuaRuntime
import Testing

@testable import Scripting

@Suite("The identity of a call") struct CallKeyTests {
  /// The key of a command with the value of an expression.
  private func keys(_ inputs: String...) throws -> [CallKey] {
    let script = try Script()
    defer { script.finish() }
    var values: [LuaValue] = []
    script.define("note") { call in
      values.append(call.value(at: 1))
      return .none
    }
    script.run(
      "rac.command{name = 'a', run = print}\n" + inputs.map { "note(\($0))\n" }.joined())
    let command = try #require(script.host.command(named: "a"))
    return values.map { CallKey(command, $0) }
  }

  @Test(arguments: [
    ("nil", "{}"), ("{a = 1, b = {2}}", "{b = {2}, a = 1.0}"), ("{'x', 'y'}", "{[2] = 'y', 'x'}"),
    ("{a = '\\xff'}", "{a = '\\255'}"),
  ])
  func isTheSameForEqualContent(_ one: String, _ other: String) throws {
    let keys = try keys(one, other)
    #expect(keys[0] == keys[1])
  }

  @Test(arguments: [
    ("{}", "{a = 1}"), ("{a = 1}", "{a = '1'}"), ("{a = '\\xff'}", "{a = '\\xfe'}"),
    ("{a = {1}}", "{a = {1, 2}}"), ("{a = true}", "{a = 'true'}"),
  ])
  func differsWithTheContent(_ one: String, _ other: String) throws {
    let keys = try keys(one, other)
    #expect(keys[0] != keys[1])
  }

  @Test func endsForATableThatContainsItself() throws {
    let keys = try keys("(function() local t = {} t.t = t return t end)()", "{}")
    #expect(keys[0] != keys[1])
  }

  @Test(arguments: [
    ("10s", Duration.seconds(10)), ("500ms", .milliseconds(500)), ("1.5m", .seconds(90)),
    ("2h", .seconds(7200)), ("3", .seconds(3)), ("0s", nil), ("-1s", nil), ("s", nil), ("1 s", nil),
    ("", nil), ("10 parsecs", nil),
  ])
  func timesHaveUnits(_ text: String, _ duration: Duration?) {
    #expect(Duration(text: text) == duration)
  }
}
