#if THREAD_SANITIZER
  #if canImport(Glibc)
    import Glibc
  #else
    import Darwin
  #endif

  /// The mutex of the standard library in a form that the thread sanitizer understands.
  ///
  /// The sanitizer does not see into the standard library, where a contended `Mutex` is handed over,
  /// and takes every such hand-over for a race. Built with `-DTHREAD_SANITIZER`, the package uses
  /// this one instead.
  @usableFromInline
  package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Unchecked: the value is reached only while the mutex is held.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    package init(_ initial: consuming sending Value) {
      mutex = .allocate(capacity: 1)
      mutex.initialize(to: pthread_mutex_t())
      pthread_mutex_init(mutex, nil)
      value = .allocate(capacity: 1)
      value.initialize(to: initial)
    }

    deinit {
      value.deinitialize(count: 1)
      value.deallocate()
      pthread_mutex_destroy(mutex)
      mutex.deinitialize(count: 1)
      mutex.deallocate()
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value.pointee)
    }
  }
#endif
