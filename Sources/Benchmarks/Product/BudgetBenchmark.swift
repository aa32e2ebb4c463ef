import Platform

/// The budget of processors and resources: a thousand processes whose starts a job server counts, builds
/// inside a run with and without a common budget, and executions that wait for a resource.
func budgetBenchmark() {
  withTemporaryFolder { folder in
    processes(folder)
    builds(folder)
    resources(folder)
  }
}

private func shell(_ line: String, in folder: String) -> [String] {
  ["sh", "-c", "cd '\(folder)' && \(line)"]
}

// MARK: A thousand processes

/// A thousand processes by this runner's own job server, and by that of a make that starts it, beside
/// none.
private func processes(_ folder: String) {
  let place = "\(folder)/processes"
  mkdir(place, 0o755)
  write(
    """
    local names = {}
    for n = 1, 1000 do
      names[n] = "p" .. n
      rac.command{name = names[n], jobserver = os.getenv("ALONE") == nil, run = {"/bin/true"}}
    end
    rac.command{name = "all", needs = names}
    """, to: "\(place)/commands.lua")
  write("all:\n\t+@'\(raclettePath())' -q all\n", to: "\(place)/Makefile")
  let own = "exec '\(raclettePath())' -q -j 8 all"
  let alone = { runProcess(shell("ALONE=1 \(own)", in: place)) }
  let times = alternating(11, { runProcess(shell(own, in: place)) }, alone)
  reportRatio("1000 processes of a job server", times, "without one", atMost: "1.05")
  let inside = alternating(11, { runProcess(shell("make -s -j8", in: place)) }, alone)
  reportRatio("1000 processes under make's job server", inside, "without one", atMost: "1.05")
}

// MARK: Builds

/// Four builds with make at once, which share as many jobs as the machine has processors, beside four
/// that each take as many.
private func builds(_ folder: String) {
  let place = "\(folder)/builds"
  for build in 1...4 {
    runProcess(["mkdir", "-p", "\(place)/\(build)"])
    for number in 1...200 {
      write(
        "#include <stdio.h>\nint f\(number)(int a) { return printf(\"%d\", a) + \(number); }\n",
        to: "\(place)/\(build)/f\(number).c")
    }
    write(
      """
      all: $(patsubst %.c,%.o,$(wildcard *.c))
      %.o: %.c
      \tcc -O1 -c -o $@ $<

      """, to: "\(place)/\(build)/Makefile")
  }
  let processors = Processors.present
  write(
    """
    all: $(patsubst %.c,%.o,$(wildcard */*.c))
    %.o: %.c
    \tcc -O1 -c -o $@ $<

    """, to: "\(place)/all.mk")
  write(
    """
    local alone = os.getenv("ALONE") ~= nil
    for n = 1, 4 do
      local words = {"make", "-s", "-C", tostring(n), "all"}
      if alone then table.insert(words, "-j\(processors)") end
      rac.command{name = "b" .. n, jobserver = not alone, run = words}
    end
    """, to: "\(place)/commands.lua")
  func words(_ prefix: String, _ jobs: Int) -> [String] {
    shell("\(prefix) exec '\(raclettePath())' -q -j \(jobs) b1 ::: b2 ::: b3 ::: b4", in: place)
  }
  let (one, other) = (words("", processors), words("ALONE=1", 4))
  let time = { (build: [String]) in
    clean(place)
    return elapsed { runProcess(build) }
  }
  let budget = "four builds of 200 C files with one budget"
  let times = alternatingTimes(3, { time(one) }, { time(other) })
  reportRatio(budget, times, "with \(processors) jobs each", atMost: "0.9")
  let single = shell("make -s -j\(processors) -f all.mk", in: place)
  let floor = alternatingTimes(3, { time(one) }, { time(single) })
  reportRatio(budget, floor, "as one make with \(processors) jobs", atMost: "1.05")
  // In runs of their own: to look takes time.
  clean(place)
  let memory = mostMemory(of: one)
  clean(place)
  print(
    "the most memory of their compilers: \(memory / 1024) MiB with one budget, "
      + "\(mostMemory(of: other) / 1024) MiB without (never more)")
}

private func clean(_ place: String) { runProcess(shell("rm -f */*.o", in: place)) }

/// The most memory that the compilers of a build have at a time, looked at a hundred times a second, in
/// KiB.
private func mostMemory(of build: [String]) -> Int {
  let pid = startProcess(build)
  var (status, most): (Int32, Int) = (0, 0)
  while waitpid(pid, &status, WNOHANG) == 0 {
    let sizes = (Platform.names(inFolder: "/proc") ?? []).compactMap { name -> Int? in
      guard name.first?.isNumber == true, let fields = statusFields(of: name),
        fields["Name"] == "cc1"
      else { return nil }
      return statusNumber("VmRSS", in: fields)
    }
    most = max(most, sizes.reduce(0, +))
    usleep(10_000)
  }
  return most
}

// MARK: Resources

/// Executions that wait for the only one of a resource, beside those that wait in the queue of their
/// command.
private func resources(_ folder: String) {
  let place = "\(folder)/resources"
  mkdir(place, 0o755)
  write(
    """
    rac.defaults{resources = {license = 1}}
    rac.command{name = "uses", concurrency = "unlimited", uses = {license = 1}, run = function() end}
    rac.command{name = "queues", when_busy = "queue", run = function() end}
    """, to: "\(place)/commands.lua")
  for name in ["uses", "queues"] {
    let entry = "{\"command\": \"\(name)\"}\n"
    write(String(repeating: entry, count: 20_000), to: "\(place)/\(name).jsonl")
  }
  let run = { (name: String) in
    runProcess(shell("exec '\(raclettePath())' -q batch -j 8 \(name).jsonl", in: place))
  }
  let times = alternating(5, { run("uses") }, { run("queues") })
  reportRatio(
    "20000 entries that use a resource", times, "in the queue of their command", atMost: "1.2")
}
