import CLibUV
import Platform

/// An open file descriptor that children do not inherit, closed when its owner is released.
struct FileDescriptor: ~Copyable {
  let number: Int32

  /// Takes ownership of `number`. Descriptors with the numbers of the standard streams are
  /// duplicated to higher ones: a child gets its own streams there.
  init(owning number: Int32) {
    guard number <= STDERR_FILENO else {
      self.number = number
      return
    }
    let moved = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    closeDescriptor(number)
    self.number = moved
  }

  deinit { closeDescriptor(number) }

  /// Makes another descriptor for an open file; nil if there can be none.
  init?(copying number: Int32) {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    guard copy >= 0 else { return nil }
    self.number = copy
  }

  /// Releases the descriptor without closing it, to an owner of another kind.
  consuming func release() -> Int32 {
    let number = number
    discard self
    return number
  }
}

/// The two ends of a new pipe.
struct Pipe: ~Copyable {
  var readEnd: FileDescriptor
  var writeEnd: FileDescriptor

  /// - Throws: the errno value.
  static func open() throws(SystemFailure) -> Pipe {
    var ends: (Int32, Int32) = (-1, -1)
    let code = withUnsafeMutableBytes(of: &ends) { bytes in
      clibuv_private_pipe(bytes.assumingMemoryBound(to: Int32.self).baseAddress)
    }
    guard code == 0 else { throw SystemFailure(errorNumber: code) }
    return Pipe(readEnd: FileDescriptor(owning: ends.0), writeEnd: FileDescriptor(owning: ends.1))
  }
}

extension Pipe {
  /// Releases this end and closes the other.
  consuming func releaseReadEnd() -> Int32 { readEnd.release() }

  /// Releases this end and closes the other.
  consuming func releaseWriteEnd() -> Int32 { writeEnd.release() }
}

/// The failure of a system call.
struct SystemFailure: Error {
  let errorNumber: Int32
}

func closeDescriptor(_ number: Int32) {
  close(number)
}
