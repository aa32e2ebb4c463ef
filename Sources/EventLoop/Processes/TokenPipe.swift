import Platform

/// The pipe of a job server: a byte in it is a token, the right to run one job more.
///
/// This process reads and writes through open file descriptions of its own, which never block,
/// whatever the mode of the others is.
final class TokenPipe {
  /// The address for children.
  let address: JobServerAddress
  /// Readable while there are tokens.
  let reading: Int32
  private let writing: Int32
  /// The ends that exist for children; empty if they inherit the caller's.
  private let offered: [Int32]
  /// The tokens that this process has put into it and not read: those in it, those that participants
  /// have read, and those that are lost.
  private(set) var given = 0

  /// The outcome of an attempt to read a token.
  enum Outcome {
    case token(UInt8)
    case empty
    /// All other ends are closed, or the pipe is unusable.
    case broken
  }

  /// The lowest number of an offered end: scripts of a shell use the lower ones for themselves.
  private static let lowestNumber: Int32 = 100
  /// `F_GETPIPE_SZ`, which Swift does not see.
  private static let getSize: Int32 = 1032
  private static let token = UInt8(ascii: "+")

  /// Takes ownership of the descriptors.
  private init?(
    address: JobServerAddress, reading: Int32, writing: Int32, offered: [Int32] = []
  ) {
    self.address = address
    self.reading = reading
    self.writing = writing
    self.offered = offered
    guard isPipe(reading), isPipe(writing) else { return nil }
  }

  /// Opens the pipe of two descriptors of this process, and copies of them for children.
  private convenience init?(offering reading: Int32, _ writing: Int32) {
    let ends = [reading, writing].map { fcntl($0, F_DUPFD, Self.lowestNumber) }
    self.init(
      address: .descriptors(reading: ends[0], writing: ends[1]),
      reading: reopen(ends[0], O_RDONLY), writing: reopen(ends[1], O_WRONLY), offered: ends)
  }

  /// Creates a pipe with room for `room` tokens, or for `capacity` if the system grants no more.
  convenience init?(room: Int) {
    guard let pipe = try? Pipe.open() else { return nil }
    self.init(offering: pipe.readEnd.number, pipe.writeEnd.number)
    var size = room + Int(getpagesize())
    // A system has a largest size, and refuses more.
    while capacity < room, !growPipe(reading, to: size), size > capacity { size /= 2 }
  }

  /// Opens the pipe of the program that has started this one.
  convenience init?(_ address: JobServerAddress) {
    switch address {
    case .fifo(let path):
      let end = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      self.init(address: address, reading: end, writing: end)
    case .descriptors(let reading, let writing):
      guard isPipe(reading), isPipe(writing) else { return nil }
      self.init(
        address: address, reading: reopen(reading, O_RDONLY), writing: reopen(writing, O_WRONLY))
    }
  }

  /// Opens the pipe through a process that has it, and offers it to children again.
  convenience init?(_ holder: JobServerHolder) {
    guard let ends = holder.openEnds() else { return nil }
    self.init(offering: ends.readEnd.number, ends.writeEnd.number)
  }

  deinit {
    for end in Set([reading, writing] + offered) where end >= 0 { closeDescriptor(end) }
  }

  /// The most tokens that always fit: a page that has been read in part is not free for new bytes.
  var capacity: Int { max(0, Int(fcntl(reading, Self.getSize)) - Int(getpagesize()) + 1) }

  /// The number of tokens in it.
  var count: Int {
    var count: Int32 = 0
    return ioctl(reading, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  /// True if participants have tokens, or have lost some.
  var lacksTokens: Bool { given > count }

  func take() -> Outcome {
    var byte: UInt8 = 0
    switch read(reading, &byte, 1) {
    case 1:
      given -= 1
      return .token(byte)
    case 0: return .broken
    default: return errno == EAGAIN || errno == EINTR ? .empty : .broken
    }
  }

  /// Writes tokens back.
  func put(_ tokens: some Collection<UInt8>) {
    guard !tokens.isEmpty else { return }
    given += tokens.count
    _ = Array(tokens).withUnsafeBytes { write(writing, $0.baseAddress, $0.count) }
  }

  /// Drops what participants have written back without having read it: it holds more than this process
  /// has put into it. Part of that may be in use, and is dropped once it is back.
  func dropSurplus() {
    let surplus = count - given
    guard surplus > 0 else { return }
    var space = [UInt8](repeating: 0, count: surplus)
    _ = read(reading, &space, surplus)
  }

  /// Makes the number of tokens right while no participant has any.
  func settle(at count: Int) {
    defer { given = count }
    guard self.count != count else { return }
    var space = [UInt8](repeating: 0, count: 4096)
    while read(reading, &space, space.count) > 0 {}
    add(count)
  }

  /// Puts new tokens into it.
  func add(_ count: Int) { put(repeatElement(Self.token, count: max(0, count))) }
}

/// Opens the pipe of a descriptor anew, so that the mode of others is not changed.
private func reopen(_ number: Int32, _ mode: Int32) -> Int32 {
  number < 0 ? -1 : open("/proc/self/fd/\(number)", mode | O_NONBLOCK | O_CLOEXEC)
}

private func isPipe(_ number: Int32) -> Bool {
  number >= 0 && pipeInode("/proc/self/fd/\(number)") != nil
}

/// Returns the inode of the pipe at a path; nil if nothing or something else is there.
func pipeInode(_ path: String) -> UInt64? {
  var information = stat()
  guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFIFO else { return nil }
  return UInt64(information.st_ino)
}
