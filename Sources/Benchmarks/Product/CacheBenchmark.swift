import Platform

/// The cache of commands: storing and restoring a gigabyte in 2,000 files, and one small file, each
/// beside what would have to be done without it.
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
    project.restoringOne()
  }
}

private struct CachedProject {
  let folder: String

  /// Runs a command in the folder after something else.
  private func run(_ command: String, after setting: String) {
    runProcess(["sh", "-c", "cd '\(folder)' && \(setting) && \(command)"])
  }

  private func raclette(_ name: String, after setting: String = "true") {
    run("exec '\(raclettePath())' -q \(name)", after: setting)
  }

  func storing() {
    let clear = "sync && rm -rf cache .raclette out"
    let times = alternating(
      3, { raclette("tree", after: clear) }, { raclette("plain", after: clear) })
    report("making and storing 1 GB in 2,000 files", times, "making it", atMost: "1.15")
  }

  func restoring() {
    raclette("tree")
    let times = alternating(
      3, { raclette("tree", after: "sync && rm -rf .raclette out") },
      { run("exec cp -a --reflink=auto source out", after: "sync && rm -rf out") })
    report("restoring 1 GB in 2,000 files", times, "cp -a --reflink=auto", atMost: "1.1")
    let same = alternating(
      5, { raclette("tree", after: "rm -rf .raclette") }, { raclette("tree") })
    report("restoring what is there", same, "up to date", atMost: "1.2")
  }

  func restoringOne() {
    raclette("file")
    let times = alternating(
      50, { raclette("file", after: "rm -f one") }, { raclette("noop", after: "rm -f one") })
    report("restoring one file", times, "a command that does nothing", atMost: "1.5")
  }

  private func report(
    _ title: String, _ times: (one: Duration, other: Duration), _ other: String, atMost goal: String
  ) {
    let milliseconds = { (time: Duration) in twoDigits(time / .milliseconds(1)) }
    print(
      "\(title): \(milliseconds(times.one)) ms, \(other) \(milliseconds(times.other)) ms, ratio "
        + "\(twoDigits(times.one / times.other)) (at most \(goal))")
  }
}
