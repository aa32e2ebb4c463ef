import CSanitizer
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

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

private final class Job: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}

func startThread(stack: Int = 512 * 1024, _ run: @escaping @Sendable () -> Void) {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  pthread_attr_setstacksize(&attributes, stack)
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  let job = Unmanaged.passRetained(Job(run)).toOpaque()
  #if canImport(Glibc)
    var thread = pthread_t()
    pthread_create(
      &thread, &attributes,
      {
        Unmanaged<Job>.fromOpaque($0!).takeRetainedValue().run()
        return nil
      }, job)
  #else
    var thread: pthread_t?
    pthread_create(
      &thread, &attributes,
      {
        Unmanaged<Job>.fromOpaque($0).takeRetainedValue().run()
        return nil
      }, job)
  #endif
  pthread_attr_destroy(&attributes)
}
