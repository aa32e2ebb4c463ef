import Platform
import Testing
import TextFiles

@Suite("What scripts may do and take", .timeLimit(.minutes(5))) struct ConfinementTests {
  @Test(arguments: [
    "while true do end", "while true do pcall(function() while true do end end) end",
    "local c <close> = setmetatable({}, {__close = function() while true do end end}) while true do end",
    "return rac.range(1, 2):map(function() while true do end end)",
    "return rac.sh('echo a; sleep 100'):map(function() while true do end end)",
    "rac.sleep(0) while true do end",
    "rac.timer(0):map(function() while true do end end):wait()",
    "rac.async(function() rac.sleep(0) while true do end end):wait()",
  ])
  func theTimeoutOfACommandStopsLuaCodeThatLoops(_ body: String) async {
    let folder = Folder(
      commands: """
        rac.command{name = "loop", timeout = 0.2, run = function() \(body) end}
        rac.command{name = "other", run = function() rac.sleep(0.5) return "well" end}
        """)
    let run = await raclette("run", "loop", ":::", "other", in: folder)
    #expect(run.status == 124)
    #expect(run.output == "well\n")
    #expect(run.errors.contains("loop: the execution took longer than"), "\(run.errors)")
  }

  @Test func theTimeLimitIsForOneStretch() async {
    let run = await raclette(
      "--time-limit", "1s", "-e",
      "for i = 1, 24 do rac.sleep(0.05) end print('rested') while true do end")
    #expect(run.status == 1)
    #expect(run.output == "rested\n")
    #expect(
      run.errors.contains("(command line):1: the code ran for more than 1.0 s without a pause"),
      "\(run.errors)")
  }

  @Test func theMemoryLimitIsAFailureThatSaysSo() async {
    let run = await raclette(
      "exec", "--memory-limit", "16M", "-e", "local t = {} while true do t[#t + 1] = {} end")
    #expect(run.status == 1)
    #expect(run.errors.contains("the memory limit of 16 MiB is reached"), "\(run.errors)")
  }

  @Test func theSandboxIsAnOptionOfEveryFormThatRunsScripts() async {
    let folder = Folder(
      commands: """
        rac.command{name = "files", summary = tostring(io), run = function() return tostring(io) end}
        """)
    for run in [
      await raclette("run", "--sandbox", "files", in: folder),
      await raclette("exec", "--sandbox", "-e", "print(io)"),
      await raclette("--sandbox", "-e", "print(io)"),
    ] {
      #expect(run.output == "nil\n", "\(run.errors)")
    }
    #expect(await raclette("list", "--sandbox", in: folder).output == "  files  nil\n")
  }

  @Test func aMatchThatTakesForEverEndsTheProgram() async {
    let run = await raclette(
      "--time-limit", "100ms", "-e",
      "return (('a'):rep(64)):find(('.-'):rep(32) .. 'b')")
    #expect(run.status == 1)
    #expect(run.errors.contains("the time limit is reached inside one call of C"), "\(run.errors)")
  }

  private static let endlessMatch = """
    rac.command{name = "match", run = function()
      rac.log.warn("matching")
      return (('a'):rep(64)):find(('.-'):rep(32) .. 'b')
    end}
    """

  @Test func aSignalEndsTheProgramInAMatchThatTakesForEver() async {
    let folder = Folder(commands: Self.endlessMatch)
    let run = await onThread {
      let running = Running(Launch(arguments: ["run", "match"], folder: folder.path))
      running.waitForErrors("matching")
      // More than all that comes before.
      eventually { processorTicks(of: running.pid) >= 100 }
      running.get(signal: SIGTERM)
      return running.finish()
    }
    #expect(run.status == 143)
    #expect(run.errors.contains("one call of C did not end after the signal"), "\(run)")
  }

  @Test func aTimeoutEndsTheProgramInAMatchThatTakesForEver() async {
    let run = await raclette(
      "run", "--timeout", "100ms", "match", in: Folder(commands: Self.endlessMatch))
    #expect(run.status == 1)
    #expect(run.errors.contains("the time limit is reached inside one call of C"), "\(run)")
  }

  @Test func aSandboxRequiresTextOnly() async {
    let folder = Folder([
      "dump.lua": """
      local file = io.open("module.lua", "wb")
      file:write(string.dump(function() return "bytecode ran" end))
      file:close()
      """,
      "text.lua": "#!/usr/bin/env raclette\nreturn 'text ran'",
      "script.lua": "print((require('text'))) print((require('module')))",
    ])
    _ = await raclette("exec", "dump.lua", in: folder)
    let run = await raclette("exec", "--sandbox", "script.lua", in: folder)
    #expect(run.lines == ["text ran"])
    #expect(run.errors.contains("./module.lua: is a compiled chunk, not Lua text"))
    #expect(run.status == 1)
  }

  @Test func aSessionUsesNoFunctionThatAScriptHasReplaced() async {
    let folder = Folder([
      "script.lua": """
      for _, name in ipairs{"load", "rawset", "setmetatable", "pairs", "tostring", "type"} do
        _G[name] = function() error("a replaced " .. name .. " ran") end
      end
      table.pack, getmetatable("").__index = nil, nil
      """
    ])
    let run = await raclette("exec", "-i", "script.lua", in: folder, input: "1 + 1\nx = 3\nx\n")
    #expect(run.output == "2\n3\n", "\(run)")
    #expect(run.status == 0)
  }

  @Test func aFileIsCheckedInASandbox() async {
    let folder = Folder(["commands.lua": "rac.command {name = 'a', run = function() end}"])
    #expect(await raclette("check", "--sandbox", in: folder).status == 0)
    #expect(await raclette("run", "--sandbox", "-n", "a", in: folder).status == 0)
    #expect(await raclette("check", "--memory-limit", "20K", in: folder).status < 128)
  }
}

/// How much of a processor a process has used, in hundredths of a second.
private func processorTicks(of pid: pid_t) -> Int {
  let line = (try? TextFile("/proc/\(pid)/stat").lines.first) ?? nil
  // The program's name may hold anything, a parenthesis too.
  let fields = line?.split(separator: ")").last?.split(separator: " ") ?? []
  return fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0
}
