import Platform

/// Where the job server of GNU make is, as the variable `MAKEFLAGS` says it.
public enum JobServerAddress: Equatable, Sendable {
  /// A pipe, by the numbers of its ends: all versions of make.
  case descriptors(reading: Int32, writing: Int32)
  /// A named pipe: make from 4.4.
  case fifo(String)

  /// Reads the value of `MAKEFLAGS`; nil if it names no job server. The last one counts.
  public init?(makeFlags: String) {
    let words = Self.options(in: makeFlags).options
    guard
      let value = words.last(where: { word in Self.names.contains { word.hasPrefix($0) } })
        .flatMap({ $0.cut(atFirst: "=")?.after })
    else { return nil }
    if value.hasPrefix("fifo:") {
      self = .fifo(String(value.dropFirst(5)))
      return
    }
    guard let ends = value.cut(atFirst: ","), let reading = Int32(ends.before),
      let writing = Int32(ends.after)
    else { return nil }
    self = .descriptors(reading: reading, writing: writing)
  }

  /// The address as `MAKEFLAGS` names it.
  var text: String {
    switch self {
    case .descriptors(let reading, let writing): "\(reading),\(writing)"
    case .fifo(let path): "fifo:\(path)"
    }
  }

  /// The same pipe by a path, for programs that accept no descriptors. The path leads to it as long as this
  /// process has the descriptors.
  var byPath: JobServerAddress {
    guard case .descriptors(let reading, _) = self else { return self }
    return .fifo("/proc/\(getpid())/fd/\(reading)")
  }

  /// Returns `MAKEFLAGS` with this job server in place of the one in it, if any.
  ///
  /// - Parameter jobs: the most jobs that may run at a time; nil if only the server knows it.
  public func makeFlags(jobs: Int?, over flags: String) -> String {
    let (options, variables) = Self.options(in: Self.makeFlags(without: flags))
    let known = Self.options(in: flags).options.last(where: Self.isJobs)
    let own: [Substring] = [
      jobs.map { "-j\($0)" } ?? known ?? "-j", "--jobserver-auth=\(text)",
    ]
    return (options + own + variables).joined(separator: " ")
  }

  /// Returns `MAKEFLAGS` without a job server, and without the number of its jobs.
  public static func makeFlags(without flags: String) -> String {
    let (options, variables) = options(in: flags)
    let kept = options.filter { word in
      !names.contains { word.hasPrefix($0) } && !isJobs(word)
    }
    return (kept + variables).joined(separator: " ")
  }

  private static let names = ["--jobserver-auth=", "--jobserver-fds="]

  /// True for `-j` and `-j4`.
  private static func isJobs(_ word: Substring) -> Bool {
    word.hasPrefix("-j") && word.utf8.dropFirst(2).allSatisfy { (48...57).contains($0) }
  }

  /// The words before `--`, and those from there on, which set variables.
  private static func options(
    in flags: String
  ) -> (options: [Substring], variables: ArraySlice<Substring>) {
    let words = flags.split(separator: " ")
    let end = words.firstIndex(of: "--") ?? words.endIndex
    return (Array(words[..<end]), words[end...])
  }
}
