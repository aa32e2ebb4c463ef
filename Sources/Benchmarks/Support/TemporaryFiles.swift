import Platform

/// Writes a text to a file.
func write(_ text: String, to path: String, mode: String = "we") {
  guard let file = fopen(path, mode) else { return print("cannot write \(path)") }
  fputs(text, file)
  fclose(file)
}

/// A folder for the time of a measurement.
func withTemporaryFolder(_ body: (String) -> Void) {
  let path = "/tmp/raclette-benchmark-\(getpid())"
  mkdir(path, 0o700)
  body(path)
  runProcess(["rm", "-rf", path])
}

/// A file with a text, for the time of a measurement.
func withTemporaryFile(_ text: String, _ body: (String) -> Void) {
  let path = "/tmp/raclette-benchmark-\(getpid()).lua"
  write(text, to: path)
  body(path)
  unlink(path)
}
