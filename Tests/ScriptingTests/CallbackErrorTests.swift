import Testing

@testable import Scripting

@Suite("Errors in callbacks", .timeLimit(.minutes(5))) struct CallbackErrorTests {
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
    ("error{code = 3}", "test:1: {code = 3}"),
    ("error(setmetatable({message = 'm'}, {__tostring = function() return 't' end}))", "t"),
  ])
  func aTableThatIsRaisedIsToldByItsMessage(_ code: String, _ message: String) throws {
    #expect(try Script.run(code).failure?.message == message)
  }

  @Test(arguments: [
    ("one:flat_map(five)", "1: the function of flat_map returned number, expected a signal"),
    ("one:flat_map(tostring)", "the function of flat_map returned string, expected a signal"),
    ("fails:catch(five)", "1: the function of catch returned number, expected a signal"),
    ("one:and_then(five)", "1: the function of and_then returned number, expected a signal"),
    ("rac.defer(five)", "1: the function of rac.defer returned number, expected a signal"),
    ("one:flatten()", "3: flatten needs a signal of signals, got number"),
    ("one:concat()", "3: concat needs a signal of signals, got number"),
    ("one:merge()", "3: merge needs a signal of signals, got number"),
    ("one:switch_to_latest()", "3: switch_to_latest needs a signal of signals, got number"),
    ("one:switch{}", "3: switch has no signal for the key '1', and no default"),
    ("one:try(no)", "1: the function of try refused the value 1"),
    ("one:reduce_each(five)", "1: reduce_each needs tuples, got number"),
    ("one:all_true()", "3: all_true needs tuples, got number"),
    ("one:any_true()", "3: any_true needs tuples, got number"),
    ("one:dematerialize()", "3: dematerialize needs the events of materialize, got number"),
    (
      "rac.create(five)",
      "1: the block of rac.create returned number, expected a function or a disposable"
    ),
    (
      "rac.start_lazily(five)",
      "1: the block of rac.start_lazily returned number, expected a function or a disposable"
    ),
    (
      "rac.async(function() coroutine.yield(5) end)",
      "3: attempt to yield from outside a coroutine"
    ),
  ])
  func wrongResultsAreToldWithTheirPlace(_ signal: String, _ message: String) throws {
    let lines = try Script.lines(
      """
      local function five() return 5 end local function no() return false end
      local one, fails = rac.just(1), rac.error("e")
      local signal = \(signal)
      signal:subscribe(nil, function(e) print(e.kind, e.message) end)
      """)
    #expect(lines == ["lua\t" + (message.first?.isNumber == true ? "test:" : "") + message])
  }

  @Test(arguments: [
    ("rac.env.x = {}", "the variable 'x' cannot be set to a table"),
    ("rac.env.x = 'a\\0'", "the variable 'x' cannot be set to a string with a zero byte"),
    (
      "rac.json.encode(print)", "bad argument #1 to 'encode' (a function cannot be encoded as JSON)"
    ),
    (
      "rac.exec{'true', env = {x = print}}",
      "bad argument #1 to 'exec' (option 'env' cannot set 'x' to a function)"
    ),
    (
      "rac.command(rac.empty).allows_concurrent_execution = 1",
      "field 'allows_concurrent_execution' must be a boolean, got number"
    ),
  ])
  func wrongValuesAreToldWithTheirPlace(_ code: String, _ message: String) throws {
    #expect(try Script.run(code).failure?.message == "test:1: " + message)
  }
}
