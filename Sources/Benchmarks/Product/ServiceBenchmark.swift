import EventLoop
import Platform

/// Services and their hub: a need on one that is up, the time until a server is seen to listen, what an
/// idle hub takes, clients that come and go, and twenty services beside honcho and supervisor, which
/// `scripts/setup --bench` installs.
func serviceBenchmark() {
  withTemporaryFolder { folder in
    needs(in: folder)
    firstReady(in: folder)
    idleHub(in: folder)
    beside(in: folder)
  }
}

// MARK: A need that is met, and clients that come and go

private func needs(in folder: String) {
  let place = project(
    in: folder, "needs",
    """
    rac.command{name = "db", service = true, ready = {line = "up"}, run = "echo up; exec sleep 1000"}
    rac.command{name = "test", needs = {"db"}, run = "true"}
    rac.command{name = "alone", run = "true"}
    """)
  place.raclette("up", "-q", "-d", "db")
  let times = alternating(100, { place.raclette("-q", "test") }, { place.raclette("-q", "alone") })
  reportRatio("a command whose service is up", times, "the same without the need", atMost: "1.5")
  let before = place.hubMemory
  let count = 1_000
  for _ in 0..<count { place.raclette("-q", "test") }
  print(
    "the hub's memory after \(count) clients: \(place.hubMemory) KiB, before \(before) KiB "
      + "(at most 256 more)")
  place.raclette("down", "-q")
}

// MARK: A server that listens

/// The server of the measurement: listens after 50 ms at a port, and writes the time just before, in
/// milliseconds of the clock that `rac.now` has.
func serveLate(_ port: UInt16, _ path: String) -> Never {
  usleep(50_000)
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var yes: Int32 = 1
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  let code = withUnsafePointer(to: address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  // Who sees it listen reads the time at once.
  write("\(EventLoop.now / .milliseconds(1))", to: path)
  guard code == 0, listen(descriptor, 8) == 0 else { exit(1) }
  while true { pause() }
}

/// From the moment at which a server listens until what needs it begins: its first start, hub included.
private func firstReady(in folder: String) {
  let server = resolvedPath(CommandLine.arguments[0]) ?? CommandLine.arguments[0]
  let place = project(
    in: folder, "ready",
    """
    local port = tostring(rac.port "late")
    rac.command{name = "late", service = true, ready = {port = tonumber(port)},
      run = {"\(server)", "--late-server", port, "listens"}}
    rac.command{name = "test", needs = {"late"}, run = function()
      local listens = tonumber(io.open("listens"):read("a"))
      local file = io.open("delay", "w")
      file:write(string.format("%.0f", rac.now() * 1e6 - listens * 1e3))
      file:close()
    end}
    """)
  let delays = (0..<21).map { _ in
    place.raclette("-q", "test")
    place.endHub()
    return place.number(in: "delay") ?? .max
  }
  print(
    "from a server's listen to the start of what needs it: \(median(delays)) µs, at most "
      + "\(delays.max() ?? 0) µs in \(delays.count) first starts (at most 20000)")
}

// MARK: An idle hub

private func idleHub(in folder: String) {
  let place = project(
    in: folder, "idle",
    """
    for n = 1, 10 do
      local port = rac.port("idle" .. n)
      rac.command{name = "s" .. n, service = true, ready = {port = port},
        run = {"python3", "-m", "http.server", "-b", "127.0.0.1", tostring(port)}}
    end
    """)
  place.raclette("up", "-q", "-d")
  // Until the second after the last answer.
  sleep(3)
  let (seconds, before, time) = (10, place.hubWakes, place.hubTime)
  sleep(UInt32(seconds))
  let wakes = Double(place.hubWakes - before) / Double(seconds)
  let share = (place.hubTime - time) / .seconds(seconds) * 100
  print(
    "an idle hub with ten services: \(twoDigits(wakes)) wakes a second (at most 1), "
      + "\(twoDigits(share)) % of a processor, \(place.hubMemory) KiB (at most 20480)")
  place.raclette("down", "-q")
}

// MARK: Twenty services

private let serviceCount = 20

private func beside(in folder: String) {
  let place = project(
    in: folder, "many",
    """
    for n = 1, \(serviceCount) do
      rac.command{name = "s" .. n, service = true, run = {"sh", "-c", "echo >>up; exec sleep 1000"}}
    end
    """)
  let names = (1...serviceCount).map { "s\($0)" }
  write(
    names.map { "\($0): echo >>up; exec sleep 1000\n" }.joined(), to: place.path + "/Procfile")
  write(
    "[supervisord]\nnodaemon = true\nlogfile = /dev/null\nlogfile_maxbytes = 0\npidfile = pid\n"
      + names.map {
        "[program:\($0)]\ncommand = sh -c 'echo >>up; exec sleep 1000'\nstartsecs = 0\n"
      }.joined(), to: place.path + "/supervisord.conf")
  let peers = [
    ("honcho", ["honcho", "start"]), ("supervisor", ["supervisord", "-c", "supervisord.conf"]),
  ].filter { isInstalled($0.1[0]) }
  let rounds = 5
  let ours = (0..<rounds).map { _ in
    let time = place.timeOfServices([raclettePath(), "up", "-q"])
    place.endHub()
    return time
  }
  for (name, words) in peers {
    let theirs = (0..<rounds).map { _ in place.timeOfServices(words) }
    reportRatio(
      "\(serviceCount) services, started and ended", (median(ours), median(theirs)), name,
      atMost: "0.7")
  }
  if peers.count < 2 {
    print("honcho and supervisor: skipped what is not there; scripts/setup --bench installs them")
  }
}

// MARK: Projects

/// A folder with a command file, and its hub.
private struct Project {
  let path: String

  func raclette(_ words: String...) { runProcess([raclettePath(), "-C", path] + words) }

  func number(in file: String) -> Int? {
    guard let bytes = fileContent("\(path)/\(file)") else { return nil }
    return Int(String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace })
  }

  private var hub: pid_t {
    pid_t(number(in: ".raclette/hub-\(getuid()).lock") ?? 0)
  }

  /// Ends the hub, and waits for its end.
  func endHub() {
    let hub = hub
    guard hub > 0, kill(hub, SIGTERM) == 0 else { return }
    while access("\(path)/.raclette/hub-\(getuid()).sock", F_OK) == 0 { usleep(1_000) }
  }

  /// A number of the hub's status in `/proc`.
  private func hubStatus(_ name: Substring) -> Int {
    statusNumber(name, in: statusFields(of: "\(hub)") ?? [:])
  }

  /// The memory that the hub has now, in KiB.
  var hubMemory: Int { hubStatus("VmRSS") }

  /// How often the hub has waited.
  var hubWakes: Int { hubStatus("voluntary_ctxt_switches") }

  /// The processor time that the hub has used.
  var hubTime: Duration {
    let text = String(decoding: fileContent("/proc/\(hub)/schedstat") ?? [], as: UTF8.self)
    return .nanoseconds(text.split(separator: " ").first.flatMap { Int64($0) } ?? 0)
  }

  /// The time in which a program starts all services and, asked to end, ends them.
  func timeOfServices(_ words: [String]) -> Duration {
    let up = "\(path)/up"
    unlink(up)
    let shell = words.map { "'\($0)'" }.joined(separator: " ")
    var pid: pid_t = 0
    let start = elapsed {
      pid = startProcess(["sh", "-c", "cd '\(path)' && exec \(shell) 2>/dev/null"])
      while fileContent(up)?.count ?? 0 < serviceCount { usleep(1_000) }
    }
    // honcho misses a signal that comes while it starts the last one.
    usleep(300_000)
    return start
      + elapsed {
        kill(pid, SIGTERM)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
      }
  }
}

private func project(in folder: String, _ name: String, _ commands: String) -> Project {
  let path = "\(folder)/\(name)"
  mkdir(path, 0o755)
  write("local rac = require \"rac\"\n\(commands)\n", to: "\(path)/commands.lua")
  return Project(path: path)
}
