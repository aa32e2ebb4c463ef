import Platform

/// A process that has the pipe of a job server.
///
/// Many programs close the descriptors that they have inherited before they start another, as
/// Python's `subprocess` does. A nested Raclette then opens the pipe through this process instead,
/// which the variable `RACLETTE_JOBSERVER` names: `PROCESS,INODE,READING,WRITING`.
public struct JobServerHolder: Equatable, Sendable {
  /// The ends of the pipe, by their numbers in that process, which are those in `MAKEFLAGS`.
  public let address: JobServerAddress
  private let process: Int32
  /// Tells this pipe from any other.
  private let inode: UInt64

  /// Makes this process the holder of the pipe at an address; nil if there is none, or if it has a
  /// name, under which every program can open it.
  public init?(of address: JobServerAddress) {
    guard case .descriptors(let reading, _) = address,
      let inode = pipeInode("/proc/self/fd/\(reading)")
    else { return nil }
    self.address = address
    self.inode = inode
    process = getpid()
  }

  /// Reads the value of the variable; nil if it is not one.
  public init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 4, let process = Int32(parts[0]), process > 0,
      let inode = UInt64(parts[1]), let reading = Int32(parts[2]), let writing = Int32(parts[3])
    else { return nil }
    self.process = process
    self.inode = inode
    address = .descriptors(reading: reading, writing: writing)
  }

  /// The value of the variable.
  public var text: String { "\(process),\(inode),\(address.text)" }

  /// True if this process has inherited the pipe, and its numbers are not something else by now.
  public var isInherited: Bool {
    guard case .descriptors(let reading, let writing) = address else { return false }
    return [reading, writing].allSatisfy { pipeInode("/proc/self/fd/\($0)") == inode }
  }

  /// Opens both ends, in blocking mode, which is what programs of a job server expect; nil if the
  /// process has ended or its descriptors are something else by now.
  func openEnds() -> Pipe? {
    guard case .descriptors(let reading, let writing) = address,
      let readEnd = openEnd(reading, O_RDONLY), let writeEnd = openEnd(writing, O_WRONLY)
    else { return nil }
    return Pipe(readEnd: readEnd, writeEnd: writeEnd)
  }

  private func openEnd(_ number: Int32, _ mode: Int32) -> FileDescriptor? {
    let path = "/proc/\(process)/fd/\(number)"
    guard pipeInode(path) == inode else { return nil }
    // Not blocking at first: the process may end now, and nobody else might have the other end.
    let end = open(path, mode | O_NONBLOCK | O_CLOEXEC)
    guard end >= 0 else { return nil }
    guard pipeInode("/proc/self/fd/\(end)") == inode, fcntl(end, F_SETFL, 0) == 0 else {
      closeDescriptor(end)
      return nil
    }
    return FileDescriptor(owning: end)
  }
}
