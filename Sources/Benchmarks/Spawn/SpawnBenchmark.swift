import CLibUV
import EventLoop
import Platform

/// Starts `/bin/true` a thousand times, one after the other and with piped output: through the
/// event loop, and as the bare sequence of system calls. Prints the ratio, also with a large heap.
func spawnBenchmark() {
  printSpawnRatio("spawn, small heap")
  let size = 500 << 20
  let heap = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 4_096)
  defer { heap.deallocate() }
  // Touched, so that a fork would have its page tables to copy.
  for page in stride(from: 0, to: size, by: 4_096) { heap[page] = 1 }
  printSpawnRatio("spawn, 500 MB heap")
}

private let blocks = 40
private let spawnsPerBlock = 25

/// In alternating blocks, whose median is told: a start waits for the scheduler several times, so
/// that other load on the machine shows in some blocks and not in others.
private func printSpawnRatio(_ title: String) {
  guard let loop = try? EventLoop() else { return print("\(title): no event loop") }
  defer { loop.close() }
  var ours: [Duration] = []
  var floor: [Duration] = []
  for _ in 0..<blocks {
    floor.append(
      elapsed {
        for _ in 0..<spawnsPerBlock { spawnWithSystemCalls() }
      })
    ours.append(
      elapsed {
        spawnInSeries(spawnsPerBlock, on: loop)
        loop.run()
      })
  }
  let ratio = median(ours) / median(floor)
  print(
    "\(title): \(microseconds(ours)) µs each, floor \(microseconds(floor)) µs, "
      + "ratio \(twoDigits(ratio))")
}

private func microseconds(_ times: [Duration]) -> Int {
  Int(median(times) / .microseconds(spawnsPerBlock))
}

private func spawnInSeries(_ left: Int, on loop: EventLoop) {
  guard left > 0 else { return }
  do {
    try loop.spawn(ProcessRequest(["/bin/true"])) { _ in spawnInSeries(left - 1, on: loop) }
  } catch {
    print(error)
  }
}

/// What a C program would do.
func spawnWithSystemCalls() {
  var ends: (Int32, Int32) = (-1, -1)
  withUnsafeMutableBytes(of: &ends) { bytes in
    _ = clibuv_private_pipe(bytes.assumingMemoryBound(to: Int32.self).baseAddress)
  }
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  posix_spawn_file_actions_adddup2(&actions, ends.1, STDOUT_FILENO)
  var pid: pid_t = 0
  "/bin/true".withCString { path in
    withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<CChar>?.self, capacity: 2) { argv in
      argv.initializeElement(at: 0, to: UnsafeMutablePointer(mutating: path))
      argv.initializeElement(at: 1, to: nil)
      guard let argv = argv.baseAddress else { return }
      _ = posix_spawn(&pid, path, &actions, nil, argv, clibuv_environment())
    }
  }
  posix_spawn_file_actions_destroy(&actions)
  close(ends.1)
  withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { space in
    while read(ends.0, space.baseAddress, space.count) > 0 {}
  }
  close(ends.0)
  var status: Int32 = 0
  waitpid(pid, &status, 0)
}
