/// The processors of this machine.
public enum Processors {
  /// The number of those that are running.
  public static var present: Int { Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// The number that this process may use: those that its affinity allows, or fewer if a control group
  /// grants it less time; at least 1.
  public static var usable: Int {
    let allowed = affinity ?? present
    return max(1, min(allowed, quota ?? allowed))
  }

  /// The number of processors that the kernel lets the process use; nil where it does not say.
  private static var affinity: Int? {
    // A mask in hexadecimal digits, with commas.
    statusFields(of: "self")?["Cpus_allowed"]?.compactMap(\.hexDigitValue)
      .reduce(0) { $0 + $1.nonzeroBitCount }
  }

  /// The quota of processor time of the process's control group and of those around it, in
  /// processors, rounded up; nil if there is none.
  private static var quota: Int? {
    guard let groups = fileContent("/proc/self/cgroup") else { return nil }
    return String(decoding: groups, as: UTF8.self).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return nil }
      if parts[1].isEmpty { return least(from: parts[2], at: "/sys/fs/cgroup", quotaOfGroup) }
      guard parts[1].split(separator: ",").contains("cpu") else { return nil }
      return least(from: parts[2], at: "/sys/fs/cgroup/cpu", quotaOfFormerGroup)
    }.min()
  }

  /// Returns the least quota of a group and of those around it.
  private static func least(
    from group: Substring, at root: String, _ quota: (String) -> Int?
  ) -> Int? {
    var path = group[...]
    var least: Int?
    while true {
      let folder = path == "/" ? root : root + path
      if let own = quota(folder) { least = min(least ?? own, own) }
      guard let slash = path.lastIndex(of: "/"), path != "/" else { return least }
      path = slash == path.startIndex ? "/" : path[..<slash]
    }
  }

  private static func quotaOfGroup(_ folder: String) -> Int? {
    let numbers = numbers(in: folder + "/cpu.max")
    return numbers.count == 2 ? processors(numbers[0], numbers[1]) : nil
  }

  private static func quotaOfFormerGroup(_ folder: String) -> Int? {
    guard let quota = numbers(in: folder + "/cpu.cfs_quota_us").first,
      let period = numbers(in: folder + "/cpu.cfs_period_us").first
    else { return nil }
    return processors(quota, period)
  }

  private static func processors(_ quota: Int, _ period: Int) -> Int? {
    quota > 0 && period > 0 ? (quota - 1) / period + 1 : nil
  }

  /// Returns the numbers of a file; without a limit it has the word `max`, or -1.
  private static func numbers(in file: String) -> [Int] {
    guard let content = fileContent(file) else { return [] }
    return String(decoding: content, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      .compactMap { Int($0) }
  }
}

/// The kind of processor.
public enum ProcessorKind {
  /// Its name: `x86_64`, `arm64`, or what the system calls another one.
  public static var name: String {
    #if arch(x86_64)
      return "x86_64"
    #elseif arch(arm64)
      return "arm64"
    #else
      var system = utsname()
      uname(&system)
      return withUnsafeBytes(of: system.machine) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
    #endif
  }
}
