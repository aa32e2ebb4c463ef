import LuaRuntime
import Testing

/// Lines that pass through a pipeline several at once.
@Suite struct LineTests {
  private let lua: LuaInterpreter

  init() throws { lua = try LuaInterpreter() }

  private func pipeline(_ code: String, _ stage: LuaPipeline.Stage = .map) throws -> LuaPipeline {
    let function = try eval(lua, "return " + code)
    let pipeline = try lua.withStack { (stack: LuaStack) throws(LuaError) in
      stack.push(function)
      return try LuaPipeline(popping: stack, [stage])
    }
    return try #require(pipeline)
  }

  /// What has come out: the lines of each piece, the other values, and the error.
  private func run(
    _ pipeline: LuaPipeline, _ text: String, each: @escaping (String) -> Void = { _ in }
  ) -> [String] {
    var results: [String] = []
    let note = { (result: String) in
      results.append(result)
      each(result)
    }
    do {
      try lua.run(
        pipeline, lines: Array(text.utf8),
        into: { lines in
          #expect(lines.text.count { $0 == 10 } == lines.count)
          note(String(decoding: lines.text, as: UTF8.self))
        }, { note("\($0)") })
    } catch { results.append(error.message) }
    return results
  }

  @Test func resultsThatAreLinesComeAtOnce() throws {
    #expect(run(try pipeline("function(l) return l .. '!' end"), "a\n\nb\n") == ["a!\n!\nb!\n"])
    #expect(
      run(try pipeline("function(l) return l ~= 'b' end", .filter), "a\nb\nc\n") == ["a\nc\n"])
    #expect(run(try pipeline("function() end", .filter), "a\nb\n") == [])
  }

  @Test func otherResultsComeAloneAndInOrder() throws {
    let pipeline = try pipeline(
      """
      function(l)
        if l == 'number' then return 7 elseif l == 'nothing' then return nil end
        if l == 'two' then return 'x\\ny' end
        return l
      end
      """)
    let results = run(pipeline, "a\nb\nnumber\nc\nnothing\ntwo\nd\n")
    #expect(results.count == 6)
    #expect(results[0] == "a\nb\n")
    #expect(results[1] == "\(LuaValue.integer(7))")
    #expect(results[2] == "c\n")
    #expect(results[3] == "\(LuaValue.nil)")
    #expect(results[5] == "d\n")
  }

  @Test func anErrorComesBehindTheResultsOfTheLinesBeforeIt() throws {
    let pipeline = try pipeline("function(l) if l == 'c' then error('bad', 0) end return l end")
    #expect(run(pipeline, "a\nb\nc\nd\n") == ["a\nb\n", "bad"])
  }

  @Test func whatHasWaitedComesBeforeAFunctionOfTheHostIsCalled() throws {
    var seen: [String] = []
    lua.define("see") { call in
      seen.append("function")
      return .none
    }
    defer { lua.close() }
    let pipeline = try pipeline("function(l) if l == 'c' then see() end return l end")
    #expect(run(pipeline, "a\nb\nc\nd\n", each: { seen.append($0) }) == ["a\nb\n", "c\nd\n"])
    #expect(seen == ["a\nb\n", "function", "c\nd\n"])
  }

  @Test func nothingComesBehindTheEnd() throws {
    var stop: () -> Void = {}
    lua.define("stop") { _ in
      stop()
      return .none
    }
    defer { lua.close() }
    let inside = try pipeline("function(l) if l == 'c' then stop() end return l end")
    stop = { inside.stop() }
    #expect(run(inside, "a\nb\nc\nd\n") == ["a\nb\n"])
    let outside = try pipeline("function(l) if l == 'b' then return 1 end return l end")
    #expect(run(outside, "a\nb\nc\n", each: { _ in outside.stop() }) == ["a\n"])
  }

  @Test func anInterruptStopsThemBetweenTwoLines() throws {
    lua.define("stop") { [lua] _ in
      lua.interrupt()
      return .none
    }
    defer { lua.close() }
    let pipeline = try pipeline(
      "function(l) if l == 'c' then stop() while true do end end return l end")
    let results = run(pipeline, "a\nb\nc\nd\n")
    #expect(results.count == 2 && results[0] == "a\nb\n", "\(results)")
    #expect(run(pipeline, "a\n") == [results[1]])
    lua.clearInterrupt()
    #expect(run(pipeline, "a\n") == ["a\n"])
  }

  @Test func manyDoNotWaitForAllOthers() throws {
    let text = String(repeating: "a line of some length\n", count: 20_000)
    let pieces = run(try pipeline("function(l) return l end"), text)
    #expect(pieces.joined() == text)
    for piece in pieces { #expect(piece.utf8.count < 70_000) }
  }

  @Test func aPipelineRunsInsideAnother() throws {
    let inner = try pipeline("function(l) return 'inner ' .. l end")
    var results: [String] = []
    lua.define("nest") { _ in
      results += run(inner, "x\ny\n")
      return .none
    }
    defer { lua.close() }
    let outer = try pipeline("function(l) nest() return l end")
    #expect(run(outer, "a\nb\n", each: { results.append($0) }) == ["a\n", "b\n"])
    #expect(
      results == ["inner x\ninner y\n", "a\n", "inner x\ninner y\n", "b\n"])
  }
}
