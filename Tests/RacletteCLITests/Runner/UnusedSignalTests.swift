import Testing

/// A signal that a command makes and nobody uses does nothing, so the command has not done its work.
@Suite("unused signals", .timeLimit(.minutes(5)))
struct UnusedSignalTests {
  private static func problem(_ line: Int) -> String {
    """
    commands.lua:\(line): the signal made here was neither returned nor subscribed, so it did \
    nothing; is 'return' missing before it, or ':wait()' after it?
    """
  }

  private static func folder(_ body: String) -> Folder {
    Folder(
      commands: """
        local kept = {}
        local function helper(signal) return signal end
        local function drop(signal) end
        rac.command{name = "c", run = function(input, emit)
        \(body)
        end}
        """)
  }

  @Test(
    "fail the command with their place",
    arguments: [
      #"rac.sh("touch made")"#, #"rac.exec{"touch", "made"}"#,
      #"rac.sh("touch made"):map(function(line) return line end)"#,
      #"rac.sh("touch made"):take(1):skip(0)"#, #"local signal = rac.sh("touch made")"#,
      #"rac.async(function() rac.sh("touch made"):wait() end)"#,
      #"for i = 1, 3 do rac.sh("touch made") end"#, #"drop(rac.sh("touch made"))"#,
      #"rac.sleep(0) rac.sh("touch made")"#, #"rac.sh("touch made") return "value""#,
      #"rac.sh("touch made") return rac.sh("touch made")"#,
      #"return rac.just(1), rac.sh("touch made")"#,
      #"return rac.async(function() rac.sh("touch made") end)"#,
      #"return function() return rac.sh("touch made") end, rac.sh("touch made")"#,
      #"rac.error("not allowed")"#,
    ])
  func fails(body: String) async {
    let folder = Self.folder(body)
    let run = await raclette("run", "c", in: folder)
    #expect(run.errors == "raclette: error: c: \(Self.problem(5))\n")
    #expect(run.status == 1)
    #expect(!Folder.isThere(folder["made"]))
    let json = await raclette("run", "--json", "c", in: folder)
    #expect(
      json.lines.contains { $0.contains(#""type":"error""#) && $0.contains("commands.lua:5") })
    #expect(!json.lines.contains { $0.contains(#""type":"completed""#) })
    #expect(json.status == 1)
    folder.write("{\"command\": \"c\"}\n{\"command\": \"c\"}\n", to: "plan.jsonl")
    let batch = await raclette("batch", "plan.jsonl", in: folder)
    #expect(batch.errors.components(of: Self.problem(5)) == 2, "\(batch)")
    #expect(batch.status == 1)
    let repl = await raclette("repl", in: folder, input: ":run c\n")
    #expect(repl.errors.contains(Self.problem(5)), "\(repl)")
    #expect(repl.status == 1)
  }

  @Test("are told together if there are several")
  func several() async {
    let folder = Self.folder(
      """
      rac.sh("touch made")
      local other = rac.sh("touch made")
      for i = 1, 2 do rac.sh("touch made") end
      return rac.just(1)
      """)
    let run = await raclette("run", "c", in: folder)
    #expect(
      run.errors == """
        raclette: error: c: commands.lua:5: the signals made here and at commands.lua:6, commands.lua:7 were \
        neither returned nor subscribed, so they did nothing; is 'return' missing before them, or \
        ':wait()' after them?

        """)
    #expect(run.output == "")
    #expect(run.status == 1)
  }

  @Test("fail a step, a needed command and an execution from Lua")
  func inner() async {
    let folder = Folder(
      commands: """
        rac.command{name = "steps", steps = {"echo first", function()
          rac.sh("touch made")
        end, "echo last"}}
        rac.command{name = "needs", needs = "steps", run = "echo needed"}
        rac.command{name = "lua", run = function()
          rac.commands.steps:execute():wait()
        end}
        """)
    let problem = "step 2 of 3: \(Self.problem(2))"
    let steps = await raclette("run", "steps", in: folder)
    #expect(steps.output == "first\n")
    #expect(steps.errors == "raclette: error: steps: \(problem)\n")
    let needs = await raclette("run", "needs", in: folder)
    #expect(needs.output == "first\n")
    #expect(needs.errors.contains(problem), "\(needs)")
    #expect(needs.status == 1)
    let lua = await raclette("run", "lua", in: folder)
    #expect(lua.errors == "raclette: error: lua: steps: \(problem)\n")
    #expect(lua.status == 1)
  }

  @Test("fail each execution, also after one that has stored a signal of the same place")
  func eachTime() async {
    let folder = Folder(
      commands: """
        local kept
        rac.command{name = "c", params = {{name = "keep", type = "boolean"}}, run = function(input)
          local signal = rac.sh("touch made")
          if input.keep then kept = signal end
        end}
        """)
    folder.write(
      """
      {"command": "c", "input": {"keep": true}}
      {"command": "c", "input": {"keep": false}}
      {"command": "c", "input": {"keep": true}}

      """, to: "plan.jsonl")
    let batch = await raclette("batch", "-j", "1", "plan.jsonl", in: folder)
    #expect(batch.errors.components(of: Self.problem(3)) == 1, "\(batch)")
    #expect(batch.status == 1)
  }

  @Test(
    "are not those that are returned, subscribed, waited for, stored, passed on or made part of others",
    arguments: [
      #"return rac.sh("true")"#, #"rac.sh("true"):subscribe()"#, #"rac.sh("true"):wait()"#,
      #"return helper(rac.sh("true"))"#, #"kept[1] = rac.sh("true")"#, #"emit(rac.sh("true"))"#,
      #"return rac.merge(rac.sh("true"), rac.sh("true"):map(print))"#,
      #"local later = rac.sh("true") kept.f = function() return later end"#,
      #"rac.concat(rac.sh("true"), rac.empty()):to_table()"#,
      #"local s = rac.sh("true"):replay() s:wait()"#, #"rac.sh("true"):replay()"#,
      #"return rac.just(1):flat_map(function() return rac.sh("true") end)"#,
      #"kept.c = rac.command{enabled = rac.just(true), run = print}"#,
      #"return rac.when(rac.just(true), rac.sh("true"), rac.sh("false"))"#,
      #"local c = rac.sh("true"):publish() c:connect() c.signal:wait()"#,
      #"rac.start_eagerly(function(s) s:send_completed() end)"#,
      #"local e = rac.commands.c.executing"#,
      #"rac.scheduler.main:schedule(function() end) return rac.exec{"cat", stdin = rac.just("a")}"#,
      #"local s = rac.sh("true") rac.scheduler.main:schedule(function() s:subscribe() end)"#,
      #"local s = rac.sh("false") pcall(s.wait, s)"#,
      #"return rac.from{1, 2}:map(function(i) return rac.sh("true") end):take(1):flatten()"#,
      #"return rac.async(function() rac.sh("true"):wait() kept[1] = rac.sh("true") end)"#,
    ])
  func notTold(body: String) async {
    let folder = Self.folder(body)
    let run = await raclette("run", "c", in: folder)
    #expect(run.errors == "")
    #expect(run.status == 0)
    let check = await raclette("check", in: folder)
    #expect(check.status == 0, "\(check)")
  }
}

extension String {
  /// How often a text occurs.
  fileprivate func components(of text: String) -> Int {
    split(separator: text, omittingEmptySubsequences: false).count - 1
  }
}
