import CSanitizer
import Testing

/// The memory of the whole process, Swift's side included, while a script makes and drops things.
@Suite("Resident memory", .timeLimit(.minutes(5))) struct ResidentMemoryTests {
  @Test(
    .enabled(if: Folder.isThere("/proc/self/statm")),
    .disabled(if: isSanitized(), "a sanitizer keeps what was freed"),
    arguments: [
      "rac.range(1, 2):map(F):filter(F):take(5):subscribe(F)",
      "local s s = rac.subject() s:subscribe(function() return s end) s:send_completed()",
      "rac.never():map(F):replay():subscribe(F):dispose()",
      "local c c = rac.command{run = function() return c end}",
      "if i % 20 == 0 then block:execute(i):wait() end",
    ])
  func staysWhereItIs(_ code: String) async {
    let run = await raclette(
      "-e",
      """
      local function F(x) return x end
      local block = rac.command(function(input) return rac.just(input) end)
      local function resident()
        for _ = 1, 3 do collectgarbage() rac.sleep(0) end
        for line in io.lines("/proc/self/statm") do return tonumber(line:match("%d+ (%d+)")) * 4 end
      end
      local function work()
        for i = 1, 2000 do
          \(code)
          if i % 500 == 0 then rac.sleep(0) end
        end
        return resident()
      end
      -- Tables grow to their size, in steps.
      for _ = 1, 10 do work() end
      local before = work()
      for _ = 1, 4 do work() end
      local after = work()
      print(after - before < 3000 or after - before)
      """)
    #expect(run.output == "true\n", "\(run.errors)")
  }

  @Test(
    "is bounded by the bytes of what a command sends, not by the number of its lines",
    .enabled(if: Folder.isThere("/proc/self/status")),
    .disabled(if: isSanitized(), "a sanitizer keeps what was freed"),
    arguments: ["return rac.sh(line)", "return rac.sh(line):map(function(l) return l .. '!' end)"])
  func longLines(_ work: String) async {
    let folder = Folder(
      commands: """
        local line = "yes $(printf %010000d 0) | head -c 150000000"
        rac.command{name = "long", steps = {function() \(work) end, function()
          local peak = io.open("/proc/self/status"):read("a"):match("VmHWM:%s*(%d+)")
          io.open("peak", "w"):write(peak)
        end}}
        """)
    let run = await shell("raclette run long | wc -l; cat peak", in: folder)
    #expect(run.lines.count == 2)
    #expect(run.lines.last.flatMap { Int($0) } ?? .max < 100_000, "\(run)")
  }
}
