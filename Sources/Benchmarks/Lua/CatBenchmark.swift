import Platform

/// A file of 80-byte lines through `rac.exec{"cat", file}` and a filter, beside `lua5.4` with
/// `io.lines` and the same function. CAT_MEGABYTES in the environment says how large; 256 without.
func catBenchmark() {
  let megabytes = getenv("CAT_MEGABYTES").flatMap { Int(String(cString: $0)) } ?? 256
  let path = "/tmp/raclette-benchmark-\(getpid()).txt"
  defer { unlink(path) }
  guard writeLines(megabytes, to: path) else { return print("cannot write \(path)") }
  let keep = "local function keep(line) return line:byte(79) == 120 end"
  withTemporaryFile(
    """
    \(keep)
    local count = 0
    rac.exec{"cat", "\(path)"}:filter(keep):do_next(function() count = count + 1 end):wait()
    local status = io.open("/proc/self/status")
    local file = io.open("\(path).memory", "w")
    file:write(status and status:read("a"):match("VmHWM:%s*(%d+)") or 0)
    file:close()
    """
  ) { script in
    let ours = script
    let floor =
      "\(keep) local n = 0 for l in io.lines('\(path)') do if keep(l) then n = n + 1 end end print(n)"
    let times = alternating(
      3, { runProcess([raclettePath(), ours]) }, { runProcess(["lua5.4", "-e", floor]) })
    print(
      "\(megabytes) MB of lines through exec and filter: \(Int(times.one / .milliseconds(1))) ms, "
        + "lua5.4 \(Int(times.other / .milliseconds(1))) ms, "
        + "ratio \(twoDigits(times.one / times.other)) (at most 1.5), "
        + "\(largestSize(path + ".memory") / 1024) MB at most in memory")
  }
}

private func writeLines(_ megabytes: Int, to path: String) -> Bool {
  guard let file = fopen(path, "we") else { return false }
  defer { fclose(file) }
  let line = [UInt8](
    "the quick brown fox jumps over the lazy dog, again and again, all day long now".utf8)
  let count = megabytes * 1_000_000 / 80
  for number in 0..<count {
    var bytes = line.prefix(78) + [number % 10 == 0 ? 120 : 121, 10]
    while bytes.count < 80 { bytes.insert(32, at: 0) }
    fwrite(Array(bytes), 1, 80, file)
  }
  return true
}

/// The number that the script left in a file: its largest size in kilobytes.
private func largestSize(_ path: String) -> Int {
  defer { unlink(path) }
  guard let file = fopen(path, "re") else { return 0 }
  defer { fclose(file) }
  var digits = [UInt8](repeating: 0, count: 32)
  let count = fread(&digits, 1, digits.count, file)
  return Int(String(decoding: digits.prefix(count), as: UTF8.self)) ?? 0
}
