import Platform
import Reactive

/// W8: what a replay subject with a million values takes, beside the values themselves.
struct ReplayMemory {
  let bytesPerValue: Double
  let floor: Double
  /// Kept, so that the next measurement finds no memory to use again.
  private let subject: AnyObject

  init<Value: BenchmarkValue>(of type: Value.Type) {
    let count = 1_000_000
    let subject = ReplaySubject<Value>()
    let before = residentMemory()
    for number in 0..<count { subject.sendNext(Value(number: number)) }
    bytesPerValue = Double(residentMemory() - before) / Double(count)
    floor = Double(MemoryLayout<Value>.stride)
    self.subject = subject
  }
}

/// The bytes of memory that the process occupies.
private func residentMemory() -> Int {
  #if canImport(Glibc)
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
    let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
  #else
    var statistics = malloc_statistics_t()
    malloc_zone_statistics(nil, &statistics)
    return Int(statistics.size_in_use)
  #endif
}
