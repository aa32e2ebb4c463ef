import Platform

/// The cache of commands: storing and restoring a gigabyte in 2,000 files, and one small file, each
/// beside what would have to be done without it. What a measurement begins with is made before it.
func cacheBenchmark() {
  withTemporaryFolder { folder in
    setenv("XDG_CACHE_HOME", "\(folder)/cache", 1)
    write(
      """
      local copy = "rm -rf out && cp -r --reflink=auto source out"
      rac.command{name = "plain", run = copy}
      rac.command{name = "tree", cache = true, sources = {"seed"}, outputs = {"out/**"}, run = copy}
      rac.command{name = "file", cache = true, sources = {"seed"}, outputs = {"one"},
        run = "cp source/1 one"}
      rac.command{name = "noop", run = "true"}
      """, to: "\(folder)/commands.lua")
    write("1", to: "\(folder)/seed")
    runProcess([
      "sh", "-c",
      "mkdir '\(folder)/source' && cd '\(folder)/source' && "
        + "head -c 1048576000 /dev/urandom | split -a 4 -d -b 524288 - '' && mv 0001 1",
    ])
    let project = CachedProject(folder: folder)
    project.storing()
    project.restoring()
    project.restoringWhatIsThere()
    project.restoringOne()
  }
  cachePeerBenchmark()
}

private struct CachedProject {
  let folder: String

  /// The time of a program in the folder after something else, whose time does not count.
  private func time(of words: [String], after setting: String) -> Duration {
    runProcess(["sh", "-c", "cd '\(folder)' && \(setting)"])
    return elapsed { runProcess(["env", "-C", folder] + words) }
  }

  private func raclette(_ name: String, after setting: String = "true") -> Duration {
    time(of: [raclettePath(), "-q", name], after: setting)
  }

  func storing() {
    let clear = "rm -rf cache .raclette out && sync"
    let times = alternatingTimes(
      3, { raclette("tree", after: clear) }, { raclette("plain", after: clear) })
    reportRatio("making and storing 1 GB in 2,000 files", times, "making it", atMost: "1.15")
    let copying = alternatingTimes(
      3, { time(of: ["cp", "-r", "source", "out"], after: clear) },
      {
        time(
          of: ["sh", "-c", "cp -r source out && cp -r out out2"], after: "rm -rf out2 && " + clear)
      })
    print(
      "  to make it and copy it once more by cp takes "
        + "\(twoDigits(copying.other / copying.one)) times as long as to make it")
    runProcess(["rm", "-rf", "\(folder)/out2"])
  }

  func restoring() {
    _ = raclette("tree")
    let times = alternatingTimes(
      3, { raclette("tree", after: "rm -rf .raclette out && sync") },
      {
        time(
          of: ["cp", "-a", "--reflink=auto", "source", "out"], after: "rm -rf out && sync")
      })
    reportRatio("restoring 1 GB in 2,000 files", times, "cp -a --reflink=auto", atMost: "1.1")
  }

  /// Once with a state that knows the digests of what is there, and once without one, so that all has to
  /// be read.
  func restoringWhatIsThere() {
    // The sources are older than the outputs, as they are when only their content matters.
    func seed(_ text: String) -> String { "printf \(text) >seed && touch -d '1 hour ago' seed" }
    for text in ["1", "2"] { _ = raclette("tree", after: seed(text)) }
    // Until the time stamps can be trusted.
    _ = raclette("tree", after: "sleep 2.1")
    _ = raclette("tree", after: seed("1"))
    var text = "1"
    let known = alternatingTimes(
      11,
      {
        text = text == "1" ? "2" : "1"
        return raclette("tree", after: seed(text))
      }, { raclette("tree") })
    reportRatio("restoring what is there and known", known, "up to date", atMost: "1.2")
    let unknown = alternatingTimes(
      5, { raclette("tree", after: "rm -rf .raclette") },
      { raclette("tree", after: "touch -d '1 minute ago' out/*") })
    reportRatio(
      "restoring what is there, reading it", unknown, "up to date, reading it", atMost: "1.2")
  }

  func restoringOne() {
    _ = raclette("file")
    let times = alternatingTimes(
      50, { raclette("file", after: "rm -f one") }, { raclette("noop", after: "rm -f one") })
    reportRatio("restoring one file", times, "a command that does nothing", atMost: "1.5")
  }
}

/// Prints the times of two pieces of work with their ratio.
func reportRatio(
  _ title: String, _ times: (one: Duration, other: Duration), _ other: String, atMost goal: String
) {
  let milliseconds = { (time: Duration) in twoDigits(time / .milliseconds(1)) }
  print(
    "\(title): \(milliseconds(times.one)) ms, \(other) \(milliseconds(times.other)) ms, ratio "
      + "\(twoDigits(times.one / times.other)) (at most \(goal))")
}
