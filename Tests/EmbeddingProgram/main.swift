import EventLoop
import Platform

// A program that embeds a loop, for what the process of the tests cannot show of itself: misuse that
// stops the program, and what the loop changes in the process.

/// Runs a function on a new thread to its end.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
  final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { work in
      #if canImport(Glibc)
        guard let work else { return nil }
      #endif
      Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
      return nil
    }, Unmanaged.passRetained(Work(body)).toOpaque())
  pthread_join(thread, nil)
}

/// Whether the orphan of a child that no loop started becomes a child of this process.
func adoptsOrphans() -> Bool {
  guard let pipe = popen("sleep 1000 >&- 2>&- & echo $!", "r") else { return false }
  var orphan: pid_t = 0
  withUnsafeMutablePointer(to: &orphan) { number in
    withVaList([number]) { _ = vfscanf(pipe, "%d", $0) }
  }
  pclose(pipe)
  kill(orphan, SIGKILL)
  // It is reaped here if it is ours; another process's children cannot be waited for.
  return waitpid(orphan, nil, 0) == orphan
}

final class Counter {
  var count = 0
}

switch CommandLine.arguments.dropFirst().first {
case "value-elsewhere":
  let bound = LoopBound(Counter())
  onAnotherThread { bound.value.count += 1 }
case "function-elsewhere":
  let counter = Counter()
  let add: @Sendable () -> Void = onLoop { counter.count += 1 }
  onAnotherThread(add)
case "orphans":
  let loop = try EventLoop()
  let before = adoptsOrphans()
  var child: ChildProcess?
  child = try loop.spawn(ProcessRequest(["sleep", "1000"]), onEnd: { _ in })
  let during = adoptsOrphans()
  child?.kill()
  loop.run()
  child = nil
  let after = adoptsOrphans()
  _ = try? loop.spawn(ProcessRequest(["/no/such/program"]), onEnd: { _ in })
  let afterAFailure = adoptsOrphans()
  loop.close()
  print(before, during, after, afterAFailure)
default:
  exit(2)
}
