import Platform

/// The three standard streams.
package enum StandardStreams {
  /// Ensures that the descriptors 0, 1 and 2 are open, so that no other file gets their numbers
  /// when the program was started with one of them closed. The replacement of a closed stream fails
  /// like the closed one: it cannot be written, or not be read.
  package static func occupy() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
