#if THREAD_SANITIZER
  import Reactive

  /// Instead of the standard library's, into which the thread sanitizer cannot see.
  typealias Mutex<Value: ~Copyable> = Reactive.Mutex<Value>
#endif
