import Platform

/// The cache beside others': ccache for 200 small C files, DVC's run cache and doit for 20 steps. What is
/// not installed is left out.
func cachePeerBenchmark() {
  withTemporaryFolder { folder in
    setenv("XDG_CACHE_HOME", "\(folder)/cache", 1)
    compilations(folder)
    steps(folder)
  }
}

/// The name of a program, which a variable may set.
private func program(_ name: String, _ variable: String) -> String? {
  let found = getenv(variable).map { String(cString: $0) } ?? name
  if isInstalled(found) { return found }
  print("\(name): skipped, as it is not installed; install it, or set \(variable)")
  return nil
}

private func time(of command: String, in folder: String, after setting: String) -> Duration {
  runProcess(["sh", "-c", "cd '\(folder)' && \(setting)"])
  return elapsed { runProcess(["sh", "-c", "cd '\(folder)' && \(command)"]) }
}

private func compilations(_ folder: String) {
  guard let ccache = program("ccache", "CCACHE") else { return }
  let place = "\(folder)/c"
  runProcess(["mkdir", "-p", "\(place)/o"])
  write("int shared(int);\n", to: "\(place)/shared.h")
  for number in 1...200 {
    write(
      "#include <stdio.h>\n#include \"shared.h\"\nint f\(number)(int a) { return shared(a) + \(number); }\n",
      to: "\(place)/f\(number).c")
  }
  write(
    """
    local all = {}
    for n = 1, 200 do
      local c, o, d = "f" .. n .. ".c", "o/f" .. n .. ".o", "o/f" .. n .. ".d"
      all[n] = rac.command{name = "f" .. n, cache = true, sources = {c}, outputs = {o}, depfile = d,
        run = "cc -c -MD -MF " .. d .. " " .. c .. " -o " .. o}
    end
    local names = {}
    for n = 1, 200 do names[n] = "f" .. n end
    rac.command{name = "all", needs = names}
    """, to: "\(place)/commands.lua")
  let objects = "f=$(basename {} .c); \(ccache) cc -c -MD -MF o/$f.d {} -o o/$f.o"
  let peer =
    "export CCACHE_DIR='\(folder)/ccache'; printf '%s\\n' *.c | xargs -P2 -I{} sh -c '"
    + objects + "'"
  let own = "exec '\(raclettePath())' -q --jobs 2 all"
  runProcess(["sh", "-c", "cd '\(place)' && \(peer)"])
  runProcess(["sh", "-c", "cd '\(place)' && \(own)"])
  let clear = "rm -f o/*"
  let times = alternatingTimes(
    5, { time(of: own, in: place, after: clear) }, { time(of: peer, in: place, after: clear) })
  reportRatio("restoring 200 objects", times, "ccache in 200 processes", atMost: "1")
}

/// The same 20 steps, whose outputs were removed: doit executes them, DVC and Raclette restore them.
private func steps(_ folder: String) {
  let place = "\(folder)/steps"
  runProcess(["mkdir", "-p", place])
  for number in 1...20 { write("\(number)\n", to: "\(place)/in\(number)") }
  let run = { (number: String) in "tr 0-9 a-j <in\(number) >out\(number)" }
  write(
    """
    local names = {}
    for n = 1, 20 do
      names[n] = "s" .. n
      rac.command{name = names[n], cache = true, sources = {"in" .. n}, outputs = {"out" .. n},
        run = "\(run("\" .. n .. \""))"}
    end
    rac.command{name = "all", needs = names}
    """, to: "\(place)/commands.lua")
  write(
    """
    def task_s():
        for n in range(1, 21):
            yield {"name": str(n), "file_dep": [f"in{n}"], "targets": [f"out{n}"],
                   "actions": [f"\(run("{n}"))"]}
    """, to: "\(place)/dodo.py")
  write(
    "stages:\n"
      + (1...20).map {
        "  s\($0):\n    cmd: \(run("\($0)"))\n    deps: [in\($0)]\n    outs: [out\($0)]\n"
      }.joined(), to: "\(place)/dvc.yaml")
  let own = "exec '\(raclettePath())' -q all"
  runProcess(["sh", "-c", "cd '\(place)' && \(own)"])
  func compare(_ name: String, _ peer: String) {
    runProcess(["sh", "-c", "cd '\(place)' && \(peer)"])
    let times = alternatingTimes(
      5, { time(of: own, in: place, after: "rm -f out*") },
      { time(of: peer, in: place, after: "rm -f out* dvc.lock") })
    reportRatio("restoring the outputs of 20 steps", times, name, atMost: "0.2")
  }
  if let doit = program("doit", "DOIT") { compare("doit", "'\(doit)' -v 0") }
  if let dvc = program("dvc", "DVC") {
    runProcess(["sh", "-c", "cd '\(place)' && '\(dvc)' init -q --no-scm"])
    compare("DVC", "'\(dvc)' repro -q")
  }
}
