#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

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
    print(count)
    """
  ) { script in
    let ours = script
    let floor =
      "\(keep) local n = 0 for l in io.lines('\(path)') do if keep(l) then n = n + 1 end end print(n)"
    let times = alternating(
      3, { runProcess([raclettePath(), ours]) }, { runProcess(["lua5.4", "-e", floor]) })
    var usage = rusage()
    getrusage(childrenOfThis, &usage)
    print(
      "\(megabytes) MB of lines through exec and filter: \(Int(times.one / .milliseconds(1))) ms, "
        + "lua5.4 \(Int(times.other / .milliseconds(1))) ms, "
        + "ratio \(twoDigits(times.one / times.other)) (at most 1.5), "
        + "largest process \(usage.ru_maxrss / 1024) MB")
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

/// RUSAGE_CHILDREN, whose type differs between systems.
private let childrenOfThis: Int32 = -1
