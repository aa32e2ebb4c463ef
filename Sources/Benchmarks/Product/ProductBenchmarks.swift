/// Start-up: `raclette exec` of an empty script against the bare Lua interpreter.
func startupBenchmark() {
  withTemporaryFile("") { script in
    let raclette = raclettePath()
    let times = alternating(
      300, { runProcess([raclette, "exec", script]) }, { runProcess(["lua5.4", script]) })
    ratios.withLock { $0.note("start-up", times.one / times.other) }
    print(
      "start-up: raclette exec \(microseconds(times.one)) µs, lua5.4 "
        + "\(microseconds(times.other)) µs, ratio \(twoDigits(times.one / times.other)) (at most 1.6)"
    )
  }
}

/// A thousand processes in series from a script, against the same loop of system calls.
func execBenchmark() {
  let count = 1_000
  withTemporaryFile("for _ = 1, \(count) do rac.exec{\"/bin/true\"}:wait() end") { script in
    let raclette = raclettePath()
    let times = alternating(
      7, { runProcess([raclette, "exec", script]) },
      { runProcess([CommandLine.arguments[0], "--spawn-floor", "\(count)"]) })
    print(
      "\(count) × rac.exec{\"/bin/true\"}: \(microseconds(times.one) / count) µs each, system calls "
        + "\(microseconds(times.other) / count) µs, ratio \(twoDigits(times.one / times.other)) "
        + "(at most 1.3)")
  }
}

private func microseconds(_ duration: Duration) -> Int {
  Int(duration / .microseconds(1))
}
