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
  let threads = threads(for: list.count / fewestPerThread, atMost: list.count)
  return try perform(threads) { (index) throws(Failure) in
    try body(list[(list.count * index / threads)..<(list.count * (index + 1) / threads)])
  }
}

/// Calls `body` with each element of a list, on several threads if the elements are many or large enough
/// to be worth them, and returns the results in the order of the list. Each thread takes the next element
/// when it has done the one before, because one may be a thousand times as large as another.
///
/// - Parameter bytes: the size of all elements.
/// - Throws: the error of the first element that failed.
func concurrently<Element: Sendable, Result: Sendable, Failure: Error>(
  taking list: [Element], ofBytes bytes: UInt64,
  _ body: @Sendable (Element) throws(Failure) -> Result
) throws(Failure) -> [Result] {
  let worth = max(list.count / fewestPerThread, Int(clamping: bytes / fewestBytesPerThread))
  let next = Atomic<Int>(0)
  let hasFailed = Atomic<Bool>(false)
  let parts = perform(threads(for: worth, atMost: list.count)) { _ in
    var results: [(index: Int, result: Swift.Result<Result, Failure>)] = []
    while !hasFailed.load(ordering: .relaxed) {
      let index = next.add(1, ordering: .relaxed).oldValue
      guard index < list.count else { break }
      let result = Swift.Result { () throws(Failure) in try body(list[index]) }
      if case .failure = result { hasFailed.store(true, ordering: .relaxed) }
      results.append((index, result))
    }
    return results
  }
  // Elements are taken in order, so that none before the first that failed is missing.
  var results: [Result] = []
  results.reserveCapacity(list.count)
  for part in parts.joined().sorted(by: { $0.index < $1.index }) {
    results.append(try part.result.get())
  }
  return results
}

/// Calls `body` with consecutive parts of a list, of which each thread takes the next when it has done the
/// one before, and returns the results in the order of the parts.
///
/// - Parameter bytes: the bytes that an element makes work of.
/// - Throws: the error of the first part that failed.
func concurrently<Element: Sendable, Result: Sendable, Failure: Error>(
  takingPartsOf list: [Element], bytes: (Element) -> Int,
  _ body: @Sendable (ArraySlice<Element>) throws(Failure) -> Result
) throws(Failure) -> [Result] {
  var parts: [ArraySlice<Element>] = []
  var (start, size, sum) = (0, 0, 0)
  for (index, element) in list.enumerated() {
    size += bytes(element)
    let count = index + 1 - start
    guard count == mostInPart || size >= bytesInPart || index == list.count - 1 else { continue }
    parts.append(list[start...index])
    sum += size + count * Int(fewestBytesPerThread) / fewestPerThread
    (start, size) = (index + 1, 0)
  }
  return try concurrently(taking: parts, ofBytes: UInt64(clamping: sum), body)
}

/// Calls `body` with each number below a number of threads, each on one, and returns the results in
/// their order.
private func perform<Result: Sendable, Failure: Error>(
  _ threads: Int, _ body: @Sendable (Int) throws(Failure) -> Result
) throws(Failure) -> [Result] {
  guard threads > 1 else { return [try body(0)] }
  let results = Mutex<[Int: Swift.Result<Result, Failure>]>([:])
  DispatchQueue.concurrentPerform(iterations: threads) { index in
    let result = Swift.Result { () throws(Failure) in try body(index) }
    results.withLock { $0[index] = result }
  }
  let known = results.withLock { $0 }
  var parts: [Result] = []
  for index in 0..<threads {
    if let result = known[index] { parts.append(try result.get()) }
  }
  return parts
}

/// The number of threads for work that is worth some, of which there are so many pieces.
private func threads(for worth: Int, atMost pieces: Int) -> Int {
  // The system reads a file to tell how many processors there are.
  guard min(worth, pieces) > 1 else { return 1 }
  let threads = min(Processors.present, worth, pieces)
  // Dispatch waits for ever for threads that the system does not give.
  return threads > 1 && checkThreads(threads - 1) == 0 ? threads : 1
}

/// A thread costs as much as some hundred files.
private let fewestPerThread = 1_000
/// It costs as much as to read some hundred kilobytes.
private let fewestBytesPerThread: UInt64 = 2 << 20
/// Parts are so small that no thread works alone for long at the end.
private let mostInPart = 64
private let bytesInPart = 8 << 20
