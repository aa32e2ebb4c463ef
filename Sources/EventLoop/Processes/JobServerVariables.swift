import Platform

/// The variables by which programs find the job server of the one that has started them.
public enum JobServerVariables {
  /// The variable of GNU make, which other tools read as well.
  public static let flags = "MAKEFLAGS"
  /// The variable for nested Raclette; see `JobServerHolder`.
  public static let holder = "RACLETTE_JOBSERVER"

  /// Offers a job server to what this process starts, now and whenever its address changes.
  ///
  /// - Parameter flags: the `MAKEFLAGS` that this process was started with.
  public static func offer(_ server: JobServer, over flags: String) {
    set(for: server, over: flags)
    server.onNewAddress = { [unowned server] in set(for: server, over: flags) }
  }

  private static func set(for server: JobServer, over flags: String) {
    let address = server.address
    if address != JobServerAddress(makeFlags: flags) || server.limit != nil {
      ProcessEnvironment.set(
        Self.flags, to: address.makeFlags(jobs: server.limit, over: flags).exactBytes)
    }
    ProcessEnvironment.set(holder, to: JobServerHolder(of: address)?.text.exactBytes)
  }

  /// The changes after which a process finds the job server by a path, which `fifo:` announces: programs
  /// such as ninja, as its project releases it, accept no descriptors. None without a job server.
  public static var naming: [(name: String, value: [UInt8]?)] {
    guard let flags = ProcessEnvironment.value(of: Self.flags),
      let address = JobServerAddress(makeFlags: flags)
    else { return [] }
    return [(Self.flags, address.byPath.makeFlags(jobs: nil, over: flags).exactBytes)]
  }

  /// The changes after which a process finds no job server; nil for a variable to remove.
  public static var hiding: [(name: String, value: [UInt8]?)] {
    var changes: [(name: String, value: [UInt8]?)] = [(holder, nil)]
    if let flags = ProcessEnvironment.value(of: Self.flags) {
      let kept = JobServerAddress.makeFlags(without: flags)
      changes.append((Self.flags, kept.isEmpty ? nil : kept.exactBytes))
    }
    return changes
  }
}
