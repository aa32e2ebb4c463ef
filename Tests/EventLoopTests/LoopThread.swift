import EventLoop
import Platform
import Synchronization

/// Runs `body` on a new thread with a loop of its own, and gives back what it returns.
///
/// Expectations belong into the calling test: on another thread they would count for no test.
func withLoop<Result: Sendable>(
  _ body: @escaping @Sendable (EventLoop) throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    startThread {
      let outcome = Swift.Result {
        let loop = try EventLoop()
        defer { loop.close() }
        return try body(loop)
      }
      continuation.resume(with: outcome)
    }
  }
}

/// Runs `body` on a new thread.
func startThread(_ body: @escaping @Sendable () -> Void) {
  final class Start {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let code = pthread_create(
    &thread, nil,
    { start in
      guard let start else { return nil }
      Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body()
      return nil
    }, Unmanaged.passRetained(Start(body)).toOpaque())
  precondition(code == 0, "no thread could be started")
  pthread_detach(thread)
}

/// What a child wrote and how it ended.
struct Run: Sendable {
  var output: [UInt8] = []
  var end: ProcessEnd?

  var text: String { String(decoding: output, as: UTF8.self) }
  var status: ProcessEnd.Status? { end?.status }
  var errorText: String { String(decoding: end?.errorTail ?? [], as: UTF8.self) }
}

/// Runs a request to its end on a loop of its own.
func run(_ request: @escaping @Sendable () -> ProcessRequest) async throws -> Run {
  try await withLoop { loop in
    var run = Run()
    try loop.spawn(request(), onOutput: { run.output += $0 }, onEnd: { run.end = $0 })
    loop.run()
    return run
  }
}

/// Runs a shell command line to its end on a loop of its own.
func shell(_ line: String) async throws -> Run {
  try await run { ProcessRequest(["/bin/sh", "-c", line]) }
}
