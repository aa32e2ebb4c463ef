import Testing

@testable import Scripting

@Suite("Errors in callbacks", .timeLimit(.minutes(1))) struct CallbackErrorTests {
  /// What ends by other rules: `subscribe` has nobody to tell but the subscriber itself, and what
  /// `on_dispose` calls comes after the end.
  private static let others: Set = ["subscribe", "on_dispose"]

  private static let operators = Library.signalObject.methods.filter {
    !others.contains($0.name) && !SampleArguments(function: $0).callbackPositions.isEmpty
  }

  @Test func thereAreOperatorsWithCallbacks() { #expect(Self.operators.count > 25) }

  @Test(arguments: operators.map(\.name))
  func endTheSignalOfTheOperatorWithThatError(_ name: String) throws {
    let function = try #require(Self.operators.first { $0.name == name })
    for position in SampleArguments(function: function).callbackPositions {
      let arguments = SampleArguments(function: function) {
        $0 == position
          ? "function() calls = calls + 1 error(E, 0) end" : "function(...) return ... end"
      }.texts.joined(separator: ", ")
      let lines = try Script.lines(
        """
        local E, calls, raised = {}, 0, 0
        local t = rac.tuple(1, 2)
        for _, source in ipairs{rac.from{t, rac.tuple(1, 3)}, rac.from{t}:concat(rac.error("e"))} do
          local before = calls
          local ok, e = pcall(source.\(name)(source, \(arguments)).wait, source.\(name)(source, \(arguments)))
          if calls > before then
            raised = raised + 1
            if ok or e ~= E then print("called, and ended with", ok, e) end
          end
        end
        print(raised > 0)
        """)
      #expect(lines == ["true"], "\(name), parameter \(position + 1)")
    }
  }

  @Test(arguments: [
    "create", "defer", "try", "start_eagerly", "start_lazily", "async", "combine_latest", "zip",
  ])
  func endTheSignalThatTheLibraryMakesOfAFunction(_ name: String) throws {
    let function = try #require(Library.functions.first { $0.name == name })
    let arguments = SampleArguments(function: function) { _ in "function() error(E, 0) end" }
    let lines = try Script.lines(
      """
      local E = {}
      local ok, e = pcall(function() rac.\(name)(\(arguments.texts.joined(separator: ", "))):wait() end)
      print(ok, e == E)
      """)
    #expect(lines == ["false\ttrue"])
  }

  @Test func aTracebackShowsTheFramesOfTheScriptAlone() throws {
    let lines = try Script.lines(
      """
      local function inner(x) error("no") end
      local function outer(x) inner(x) end
      rac.just(1):filter(function() return true end):map(function(x) outer(x) end)
        :subscribe(nil, function(e) print(e) end)
      local c = rac.command{run = function() rac.just(1):map(outer):wait() end}
      local _, failure = pcall(function() rac.just(1):map(function() return nil + 1 end):wait() end)
      print(failure.traceback)
      """)
    let text = lines.joined(separator: "\n")
    #expect(text.contains("test:6: in function <test:6>"), "\(text)")
    #expect(!text.contains("[C]: in ?"), "\(text)")
    #expect(!text.contains("[rac]"), "\(text)")
  }

  @Test(arguments: [
    ("error{message = 'what it means', code = 3}", "what it means"),
    ("error{code = 3}", "(error object is a table value)"),
    ("error(setmetatable({message = 'm'}, {__tostring = function() return 't' end}))", "t"),
  ])
  func aTableThatIsRaisedIsToldByItsMessage(_ code: String, _ message: String) throws {
    #expect(try Script.run(code).failure?.message == message)
  }
}
