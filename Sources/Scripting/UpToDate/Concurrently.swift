import Dispatch
import Platform
import Synchronization

/// Calls `body` with consecutive parts of a list, on several threads if the list is long enough to be
/// worth them, and returns the results in the order of the parts.
///
/// - Throws: the error of the first part that failed.
func concurrently<Element: Sendable, Result: Sendable, Failure: Error>(
  over list: [Element], _ body: @Sendable (ArraySlice<Element>) throws(Failure) -> Result
) throws(Failure) -> [Result] {
  let threads = min(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), list.count / fewestPerThread)
  // Dispatch waits for ever for threads that the system does not give.
  guard threads > 1, checkThreads(threads - 1) == 0 else { return [try body(list[...])] }
  let results = Mutex<[Int: Swift.Result<Result, Failure>]>([:])
  DispatchQueue.concurrentPerform(iterations: threads) { index in
    let part = list[(list.count * index / threads)..<(list.count * (index + 1) / threads)]
    let result = Swift.Result { () throws(Failure) in try body(part) }
    results.withLock { $0[index] = result }
  }
  let known = results.withLock { $0 }
  var parts: [Result] = []
  for index in 0..<threads {
    if let result = known[index] { parts.append(try result.get()) }
  }
  return parts
}

/// A thread costs as much as some hundred files.
private let fewestPerThread = 1_000
