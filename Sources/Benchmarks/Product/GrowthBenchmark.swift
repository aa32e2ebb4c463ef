import Platform

/// What ten times the work costs, at a size that nobody tries by hand: whatever grows faster than the
/// work is mended, or explained in ARCHITECTURE.md. The suite "repl" measures its session.
func growthBenchmark() {
  print(
    pad("work", -50), pad("tenth s", 8), pad("all s", 8), pad("ratio", 6), pad("CPU", 6),
    pad("MiB", 6), pad("MiB", 6), pad("ratio", 6))
  withTemporaryFolder { folder in
    for work in Work.all { work.measure(in: folder) }
  }
}

private struct Work {
  let title: String
  /// The number of units of all the work.
  let count: Int
  /// The most that all may take, in times of what a tenth takes.
  var mostGrowth: Double?
  /// The most that all may take, in seconds.
  var mostSeconds: Double?
  /// The script, for which `count` is the number of units; `rac` is the library.
  let script: String
  /// The lines of the file `input`, each with `%.0f` for its number.
  var line: String?
  /// What executes it, in the shell; `$count` is the number of units.
  var command = "exec $raclette exec work.lua"

  func measure(in folder: String) {
    let (few, all) = (cost(count / 10, in: folder), cost(count, in: folder))
    let growth = all.elapsed / few.elapsed
    print(
      pad(title, -50), pad(decimal(few.elapsed, 2), 8), pad(decimal(all.elapsed, 2), 8),
      pad("×" + decimal(growth, 1), 6), pad("×" + decimal(all.processor / few.processor, 1), 6),
      pad("\(few.peak >> 10)", 6), pad("\(all.peak >> 10)", 6),
      pad("×" + decimal(Double(all.peak) / Double(few.peak), 1), 6), verdict(growth, all.elapsed))
  }

  private func verdict(_ growth: Double, _ seconds: Double) -> String {
    if let mostGrowth {
      return " at most ×\(decimal(mostGrowth, 1))\(growth > mostGrowth ? ", missed" : "")"
    }
    guard let mostSeconds else { return "" }
    return " at most \(decimal(mostSeconds, 1)) s\(seconds > mostSeconds ? ", missed" : "")"
  }

  private func cost(_ count: Int, in folder: String) -> ProcessCost {
    write("local rac, count = require 'rac', \(count)\n\(script)\n", to: "\(folder)/work.lua")
    let lines = line.map { "seq -f '\($0)' \(count) >input; " } ?? ""
    runProcess(["sh", "-c", "cd '\(folder)'; \(lines):"])
    return costOfProcess([
      "sh", "-c",
      "raclette=$(realpath '\(raclettePath())'); cd '\(folder)'; count=\(count); \(command)",
    ])
  }

  private static let noop =
    "rac.command{name = 'noop', concurrency = 'unlimited', run = function() end}"
  private static let entry = #"{"command": "noop", "input": {"n": %.0f}}"#

  static let all = [
    Work(
      title: "100,000 commands in a file, one executed", count: 100_000,
      script: """
        for i = 1, count do rac.command{name = "c" .. i, summary = "Does " .. i, run = print} end
        """,
      command: "exec $raclette run -f work.lua c$count"),
    Work(
      title: "100,000 live conditions, each sent one value", count: 100_000,
      script: """
        local conditions = {}
        for i = 1, count do
          conditions[i] = rac.behavior_subject(true)
          rac.command{name = "c" .. i, enabled = conditions[i], run = print}
        end
        for i = 1, count do conditions[i]:send_next(false) end
        """),
    Work(
      title: "10,000 executions at once", count: 10_000,
      script: """
        local gate, ended = rac.subject(), 0
        local wait = rac.command{
          name = "wait", concurrency = "unlimited", run = function() return gate end}
        for i = 1, count do
          wait:execute(i):subscribe(nil, error, function() ended = ended + 1 end)
        end
        rac.sleep(0)
        gate:send_completed()
        while ended < count do rac.sleep(0) end
        """),
    Work(
      title: "1,000,000 signals with an operator each", count: 1_000_000,
      script: """
        local signals = {}
        for i = 1, count do signals[i] = rac.just(i):map(function(x) return x + 1 end) end
        signals = nil
        collectgarbage()
        """),
    Work(
      title: "10 GB of lines from a process to a pipe", count: 10_000,
      script: """
        local line = "a line of a text that has fifty characters in all"
        local limit = count .. "000000"
        rac.command{name = "lines", run = function()
          return rac.sh("yes '" .. line .. "' | head -c " .. limit)
        end}
        """,
      command: """
        rm -f pipe; mkfifo pipe; cat pipe >/dev/null &
        exec $raclette run -f work.lua lines >pipe
        """),
    Work(
      title: "1,000,000 entries of a batch with a journal", count: 1_000_000, mostGrowth: 12,
      script: noop, line: entry,
      command: "exec $raclette batch -q -f work.lua --journal $count.db - <input"),
    Work(
      title: "the same, resumed when all is done", count: 1_000_000, mostSeconds: 6,
      script: noop, line: entry,
      command: "exec $raclette batch -q -f work.lua --journal $count.db --resume - <input"),
  ]
}
