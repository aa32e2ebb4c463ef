import Testing

@testable import Scripting

@Suite("What Lua's collector lets go of", .timeLimit(.minutes(5))) struct CollectionTests {
  /// Things whose end calls a function of the script.
  @Test(arguments: [
    "rac.never():on_dispose(F):replay()",
    "rac.never():on_dispose(F):replay():map(function(x) return x end)",
    "rac.create(function() return F end):replay_last()",
    "(function() local s = rac.subject() s:subscribe(nil, nil, F) return s end)()",
    "(function() local s = rac.subject() s:finally(F):subscribe() return s end)()",
    "rac.command(rac.create(function() return F end), function() return rac.empty() end)",
  ])
  func callsTheScriptInATurnOfItsOwn(_ thing: String) throws {
    let lines = try Script.lines(
      """
      local collecting, log = false, {}
      local function F() log[#log + 1] = collecting and "while collecting" or "later" end
      do local thing = \(thing) end
      rac.sleep(0)
      collecting = true
      for _ = 1, 4 do collectgarbage() end
      collecting = false
      for _ = 1, 4 do rac.sleep(0) collectgarbage() end
      print(table.concat(log, ", "))
      """)
    #expect(lines == ["later"])
  }

  @Test func aScriptThatNeverPausesDoesNotKeepWhatItDropped() throws {
    let script = try Script()
    defer { script.finish() }
    let result = script.run(
      "for i = 1, 20000 do rac.just(i):map(print) end return rac.stats().memory")
    #expect(result.failure == nil)
    #expect(script.host.interpreter.collectedCount < 5_000)
  }
}
