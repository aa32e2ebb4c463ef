import Platform

/// The three standard streams.
enum StandardStreams {
  /// Makes sure that the descriptors 0, 1 and 2 are taken, so that no other file gets their numbers
  /// when the program was started with one of them closed. What stands in for a closed stream fails
  /// as the closed one would: it cannot be written to, or not be read from.
  static func occupy() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
