/// A path that a process has given to the system.
package struct TracedPath: Equatable, Sendable {
  /// The path as it was given.
  package var text: String
  /// The folder that a relative path begins in; nil for the folder of the process.
  package var folder: String?

  package init(_ text: String, in folder: String? = nil) {
    self.text = text
    self.folder = folder
  }
}

/// What a process has done to files, processes or addresses.
package enum TracedEvent: Equatable, Sendable {
  /// It has opened a file or folder.
  case opened(TracedPath, real: String, reads: Bool, writes: Bool)
  /// There is nothing at a path that it has tried to open.
  case missed(TracedPath)
  /// There is nothing at a path of which it has asked what is there.
  case sought(TracedPath)
  /// It has tried to open a path that leads through something other than a folder.
  case blocked(TracedPath)
  case executed(TracedPath)
  /// It has made a name for something: a link, or a file whose content it has cut.
  case made(TracedPath)
  case madeFolder(TracedPath)
  case renamed(TracedPath, to: TracedPath)
  case removed(TracedPath)
  /// It goes on in another folder.
  case entered(TracedPath)
  /// It has read the names in a folder.
  case listed(String)
  /// It has asked what there is at a path, and there is something.
  case looked(TracedPath)
  /// It has started a process or a thread.
  case began(Int32, isThread: Bool)
  case connected(String)

  /// - Returns: nil for a call that has failed, or that does none of this.
  init?(_ call: StraceCall) {
    if let connection = Self.connection(call) {
      self = .connected(connection)
      return
    }
    guard let event = call.hasSucceeded ? Self.event(call) : Self.failure(call) else { return nil }
    self = event
  }

  /// The calls that strace is asked for. Of those with a question mark, some systems have none.
  package static let calls = """
    ?open,openat,?openat2,?creat,execve,?execveat,?rename,renameat,?renameat2,?link,linkat,?symlink,\
    symlinkat,?unlink,unlinkat,?mkdir,mkdirat,?rmdir,truncate,chdir,fchdir,?fork,?vfork,clone,\
    ?clone3,connect,sendto,sendmsg,?sendmmsg,?getdents,getdents64,?stat,?stat64,?lstat,?lstat64,\
    ?newfstatat,?fstatat64,?statx,?access,faccessat,?faccessat2,?readlink,readlinkat
    """

  private static func path(_ call: StraceCall, _ index: Int) -> TracedPath? {
    call.text(index).map { TracedPath($0) }
  }

  /// The path behind an argument that is the descriptor of its folder.
  private static func path(_ call: StraceCall, behindFolder index: Int) -> TracedPath? {
    call.text(index + 1).map { TracedPath($0, in: call.folder(index)) }
  }

  private static func openedPath(of call: StraceCall) -> TracedPath? {
    switch call.name {
    case "open": path(call, 0)
    case "openat", "openat2": path(call, behindFolder: 0)
    default: nil
    }
  }

  /// The path of which a call asks what is there, without opening it; nil for an open file.
  private static func examinedPath(of call: StraceCall) -> TracedPath? {
    let path: TracedPath? =
      switch call.name {
      case "stat", "stat64", "lstat", "lstat64", "access", "readlink": path(call, 0)
      case "newfstatat", "fstatat64", "statx", "faccessat", "faccessat2", "readlinkat":
        path(call, behindFolder: 0)
      default: nil
      }
    return path.flatMap { $0.text.isEmpty ? nil : $0 }
  }

  private static func failure(_ call: StraceCall) -> TracedEvent? {
    switch call.error {
    case "ENOENT":
      openedPath(of: call).map { .missed($0) } ?? examinedPath(of: call).map { .sought($0) }
    case "ENOTDIR": openedPath(of: call).map { .blocked($0) }
    default: nil
    }
  }

  private static func event(_ call: StraceCall) -> TracedEvent? {
    if let path = examinedPath(of: call) { return .looked(path) }
    return switch call.name {
    case "open": opening(call, path(call, 0), flags: 1)
    case "openat", "openat2": opening(call, path(call, behindFolder: 0), flags: 2)
    case "creat":
      path(call, 0).flatMap { path in
        real(call).map { .opened(path, real: $0, reads: false, writes: true) }
      }
    case "execve": path(call, 0).map { .executed($0) }
    case "execveat": path(call, behindFolder: 0).map { .executed($0) }
    case "rename": renaming(path(call, 0), path(call, 1))
    case "renameat", "renameat2":
      renaming(path(call, behindFolder: 0), path(call, behindFolder: 2))
    case "link", "symlink": path(call, 1).map { .made($0) }
    case "linkat": path(call, behindFolder: 2).map { .made($0) }
    case "symlinkat": path(call, behindFolder: 1).map { .made($0) }
    case "truncate": path(call, 0).map { .made($0) }
    case "unlink", "rmdir": path(call, 0).map { .removed($0) }
    case "unlinkat": path(call, behindFolder: 0).map { .removed($0) }
    case "mkdir": path(call, 0).map { .madeFolder($0) }
    case "mkdirat": path(call, behindFolder: 0).map { .madeFolder($0) }
    case "chdir": path(call, 0).map { .entered($0) }
    case "fchdir": call.folder(0).map { .entered(TracedPath($0)) }
    case "getdents", "getdents64": call.folder(0).map { .listed($0) }
    case "fork", "vfork", "clone", "clone3":
      Int32(String(decoding: call.result.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
        .map { child in
          .began(child, isThread: call.arguments.indices.contains { call.has("CLONE_THREAD", $0) })
        }
    default: nil
    }
  }

  private static func renaming(_ from: TracedPath?, _ to: TracedPath?) -> TracedEvent? {
    guard let from, let to else { return nil }
    return .renamed(from, to: to)
  }

  /// The path of the descriptor that a call has returned; nil if the file has no name any more.
  private static func real(_ call: StraceCall) -> String? {
    guard let file = call.result.pathOfDescriptor, !file.isDeleted else { return nil }
    return file.path
  }

  private static func opening(
    _ call: StraceCall, _ path: TracedPath?, flags: Int
  ) -> TracedEvent? {
    guard let path, let real = real(call), !call.has("O_PATH", flags),
      !call.has("O_DIRECTORY", flags), !call.has("O_TMPFILE", flags)
    else { return nil }
    let both = call.has("O_RDWR", flags)
    let writes = both || call.has("O_WRONLY", flags)
    // One that the call may make has nothing to read that counts.
    let mayMake = call.has("O_CREAT", flags) || call.has("O_TRUNC", flags)
    let reads = both ? !mayMake : !writes
    return .opened(path, real: real, reads: reads, writes: writes)
  }

  /// The address of a connection or of what was sent without one, also of one that was refused or has
  /// not been accepted yet.
  private static func connection(_ call: StraceCall) -> String? {
    guard let address = address(of: call) else { return nil }
    if address.hasPrefix("{sa_family=AF_UNIX") {
      guard call.hasSucceeded else { return nil }
      return Self.between(address, "sun_path=\"", "\"")
        ?? Self.between(address, "sun_path=@\"", "\"")
        .map { "@\($0)" }
    }
    guard let port = Self.between(address, "port=htons(", ")"), port != "0" else { return nil }
    if let host = Self.between(address, "inet_addr(\"", "\"") { return "\(host):\(port)" }
    return Self.between(address, "inet_pton(AF_INET6, \"", "\"").map { "[\($0)]:\(port)" }
  }

  private static func address(of call: StraceCall) -> String? {
    func argument(_ index: Int) -> String? {
      guard call.arguments.indices.contains(index) else { return nil }
      return String(decoding: call.arguments[index], as: UTF8.self)
    }
    switch call.name {
    case "connect": return argument(1)
    case "sendto": return argument(4).flatMap { $0.hasPrefix("{") ? $0 : nil }
    // The address comes first, before what is sent.
    case "sendmsg", "sendmmsg":
      return argument(1).flatMap { between($0, "msg_name={", "}") }.map { "{\($0)}" }
    default: return nil
    }
  }

  private static func between(_ text: String, _ start: String, _ end: Character) -> String? {
    let (bytes, mark) = (Array(text.utf8), Array(start.utf8))
    guard bytes.count >= mark.count,
      let position = (0...(bytes.count - mark.count)).first(where: {
        bytes[$0...].starts(with: mark)
      })
    else { return nil }
    let rest = bytes[(position + mark.count)...]
    guard let stop = end.asciiValue.flatMap(rest.firstIndex) else { return nil }
    return String(decoding: rest[..<stop], as: UTF8.self)
  }
}
