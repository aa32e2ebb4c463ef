import Testing

/// A signal that a command makes and nobody uses does nothing, which is worth a warning.
@Suite("unused signals", .timeLimit(.minutes(5)))
struct UnusedSignalTests {
  private static func warning(_ line: Int) -> String {
    """
    warning: commands.lua:\(line): the signal made here was neither returned nor subscribed, so it did \
    nothing; is a 'return' missing?

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
    "are told with their place, once",
    arguments: [
      #"rac.sh("touch made")"#, #"rac.exec{"touch", "made"}"#,
      #"rac.sh("touch made"):map(function(line) return line end)"#,
      #"rac.sh("touch made"):take(1):skip(0)"#, #"local signal = rac.sh("touch made")"#,
      #"rac.async(function() rac.sh("touch made"):wait() end)"#,
      #"for i = 1, 3 do rac.sh("touch made") end"#, #"drop(rac.sh("touch made"))"#,
      #"rac.sleep(0) rac.sh("touch made")"#,
    ])
  func told(body: String) async {
    let folder = Self.folder(body)
    let run = await raclette("run", "c", in: folder)
    #expect(run.errors == Self.warning(5))
    #expect(run.status == 0)
    #expect(!Folder.isThere(folder["made"]))
    folder.write("{\"command\": \"c\"}\n{\"command\": \"c\"}\n", to: "plan.jsonl")
    let batch = await raclette("batch", "plan.jsonl", in: folder)
    #expect(batch.errors.hasPrefix(Self.warning(5)), "\(batch)")
    #expect(batch.errors.components(of: "is a 'return' missing?") == 1)
    let repl = await raclette("repl", in: folder, input: ":run c\n")
    #expect(repl.errors.contains("commands.lua:5: the signal made here"), "\(repl)")
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
    ])
  func notTold(body: String) async {
    let run = await raclette("run", "c", in: Self.folder(body))
    #expect(!run.errors.contains("warning"), "\(run)")
  }
}

extension String {
  /// How often a text occurs.
  fileprivate func components(of text: String) -> Int {
    split(separator: text, omittingEmptySubsequences: false).count - 1
  }
}
