import Platform

/// The sizes of the comparison.
enum PanelEvents {
  static let clients: Int32 = 900
  static let count: Int32 = 100
  static let milliseconds: Int32 = 10
}

/// The CPU time of the panel for each event that a reader gets, against that of a C program over libuv
/// that sends the same bytes and does nothing else.
func panelEventBenchmark() {
  allowDescriptors(Int(PanelEvents.clients) + 100)
  let folder = "/tmp/raclette-panel-events-\(getpid())"
  mkdir(folder, 0o755)
  defer { runProcess(["rm", "-rf", folder]) }
  let file = "\(folder)/commands.lua"
  guard let commands = fopen(file, "we") else { return print("cannot write \(file)") }
  fputs(
    """
    rac.command{name = "events", run = function()
      local text = ("x"):rep(100)
      for n = 1, \(PanelEvents.count) do
        rac.log.info(text)
        rac.sleep(\(PanelEvents.milliseconds) / 1000)
      end
    end}
    """, commands)
  fclose(commands)
  var (panel, floor) = ([Double](), [Double]())
  for _ in 0..<3 {
    panel.append(
      panelTime(folder, file, clients: Int(PanelEvents.clients))
        - panelTime(folder, file, clients: 1))
    floor.append(floorTime(folder))
  }
  let events = Double(PanelEvents.clients) * Double(PanelEvents.count)
  let (one, other) = (panel.sorted()[1], floor.sorted()[1])
  print(
    "CPU for a million events to \(PanelEvents.clients) readers: \(twoDigits(one / events * 1e6)) s, "
      + "a C server over libuv \(twoDigits(other / events * 1e6)) s, ratio \(twoDigits(one / other)) "
      + "(at most 1.5)")
}

/// The seconds of CPU time of a panel whose events a number of clients read.
private func panelTime(_ folder: String, _ file: String, clients: Int) -> Double {
  let process = PanelProcess(folder, file)
  let readers = (0..<clients).map { _ in process.send("GET", "events", "") }
  for reader in readers { awaitText("\"type\":\"stream\"", on: [reader]) }
  let press = process.send("POST", "commands/events/executions", "{}")
  awaitText("\"id\":", on: [press])
  close(press)
  awaitText("\"type\":\"completed\"", on: readers)
  for reader in readers { close(reader) }
  kill(process.pid, SIGTERM)
  return cpuTime(ofEnded: process.pid)
}

private func floorTime(_ folder: String) -> Double {
  let path = "\(folder)/floor"
  unlink(path)
  let pid = startProcess([CommandLine.arguments[0], "--server-floor", path])
  let readers = (0..<Int(PanelEvents.clients)).map { _ in
    let reader = connectToSocket(at: path)
    _ = "GET / HTTP/1.1\r\n\r\n".withExactBytes { writeBytes($0, to: reader) }
    return reader
  }
  awaitText("\"type\":\"completed\"", on: readers)
  for reader in readers { close(reader) }
  return cpuTime(ofEnded: pid)
}

/// Reads from descriptors until a text has come on each of them.
private func awaitText(_ text: String, on descriptors: [Int32]) {
  let sought = Array(text.utf8)
  var ends = descriptors.map { _ in [UInt8]() }
  var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
  var left = descriptors.count
  var space = [UInt8](repeating: 0, count: 1 << 16)
  while left > 0, poll(&polled, nfds_t(polled.count), -1) > 0 {
    for index in polled.indices where polled[index].revents != 0 {
      let count = space.withUnsafeMutableBytes { readBytes(from: polled[index].fd, into: $0) }
      ends[index] += space[..<max(0, count)]
      if count <= 0 || ends[index].firstRange(of: sought) != nil {
        polled[index].fd = -1
        left -= 1
      }
      ends[index].removeFirst(max(0, ends[index].count - sought.count))
    }
  }
}

private func cpuTime(ofEnded pid: pid_t) -> Double {
  var status: Int32 = 0
  var usage = rusage()
  while wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
  let seconds = { (time: timeval) in Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
  return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

private func allowDescriptors(_ count: Int) {
  var limit = rlimit()
  #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    let resource = RLIMIT_NOFILE
  #endif
  getrlimit(resource, &limit)
  limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, rlim_t(count)))
  setrlimit(resource, &limit)
}
