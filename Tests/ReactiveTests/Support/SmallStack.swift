import CSanitizer
import Platform
import Testing

extension Trait where Self == ConditionTrait {
  /// For tests of how deep calls may nest: instrumented code takes several times the stack, and the
  /// thread sanitizer cannot record as many calls.
  static var measuresStack: Self {
    .disabled(if: isSanitized(), "instrumented code nests less deep")
  }
}

/// Runs `body` on a thread with a stack of 512 KiB, or another size, and comes back when it has
/// returned.
func onSmallStack(_ size: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    startThread(stack: size) {
      body()
      continuation.resume()
    }
  }
}

/// How many bytes of stack `body` takes, measured on a thread that has plenty: unlike one that
/// overflows, a test that asks fails with a figure.
func stackUse(_ body: @escaping @Sendable () -> Void) async -> Int {
  let size = 32 * 1024 * 1024
  return await withCheckedContinuation { continuation in
    startThread {
      let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)!
      defer { munmap(memory, size) }
      let thread = makeThread(body) { pthread_attr_setstack(&$0, memory, size) }
      pthread_join(thread, nil)
      // Memory that was never written is zero; the stack grows downwards.
      let words = UnsafeRawBufferPointer(start: memory, count: size).bindMemory(to: UInt.self)
      let deepest = words.firstIndex { $0 != 0 } ?? words.count
      continuation.resume(returning: size - deepest * MemoryLayout<UInt>.stride)
    }
  }
}

private final class Job: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}

func startThread(stack: Int = 512 * 1024, _ run: @escaping @Sendable () -> Void) {
  makeThread(run) { attributes in
    pthread_attr_setstacksize(&attributes, stack)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  }
}

@discardableResult
private func makeThread(
  _ run: @escaping @Sendable () -> Void, _ configure: (inout pthread_attr_t) -> Void
) -> pthread_t {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  configure(&attributes)
  let job = Unmanaged.passRetained(Job(run)).toOpaque()
  #if canImport(Glibc)
    var thread = pthread_t()
    pthread_create(
      &thread, &attributes,
      {
        Unmanaged<Job>.fromOpaque($0!).takeRetainedValue().run()
        return nil
      }, job)
    return thread
  #else
    var thread: pthread_t?
    pthread_create(
      &thread, &attributes,
      {
        Unmanaged<Job>.fromOpaque($0).takeRetainedValue().run()
        return nil
      }, job)
    return thread!
  #endif
}
