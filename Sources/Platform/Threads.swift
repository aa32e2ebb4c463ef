/// Checks that the system lets the process start `count` more threads at once. If it does not,
/// Dispatch retries forever.
///
/// - Returns: 0 or an error number.
public func checkThreads(_ count: Int) -> Int32 {
  var threads: [pthread_t] = []
  var code: Int32 = 0
  // All of them wait until the last has started.
  var gate = pthread_mutex_t()
  pthread_mutex_init(&gate, nil)
  return withUnsafeMutablePointer(to: &gate) { gate in
    pthread_mutex_lock(gate)
    for _ in 0..<count where code == 0 {
      #if canImport(Glibc)
        var thread = pthread_t()
        code = pthread_create(&thread, nil, passThrough, gate)
        if code == 0 { threads.append(thread) }
      #else
        var thread: pthread_t?
        code = pthread_create(&thread, nil, passThrough, gate)
        if let thread { threads.append(thread) }
      #endif
    }
    pthread_mutex_unlock(gate)
    for thread in threads { pthread_join(thread, nil) }
    pthread_mutex_destroy(gate)
    return code
  }
}

#if canImport(Glibc)
  private let passThrough: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    pass($0!)
  }
#else
  private let passThrough: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = {
    pass($0)
  }
#endif

private func pass(_ gate: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
  let gate = gate.assumingMemoryBound(to: pthread_mutex_t.self)
  pthread_mutex_lock(gate)
  pthread_mutex_unlock(gate)
  return nil
}
