import CSignals
import LuaRuntime
import Platform
import Scripting

/// The standard streams of the process. Values go to standard output, messages of the runner to
/// standard error. Secrets are masked in both. On the main thread.
package enum Terminal {
  /// The stream for values: standard output, unless `--json` reserves it for events. Set before any
  /// output.
  @exclusivity(unchecked) nonisolated(unsafe) private static var values = standardOutput

  /// The descriptor of that stream.
  package static var valueDescriptor: Int32 { fileno(values) }

  /// True when a failure to write was reported as an error.
  nonisolated(unsafe) private static var isLost = false

  /// True when the last write ended its line, so that transient text can be shown.
  @exclusivity(unchecked) package nonisolated(unsafe) private(set) static var isAtLineStart = true

  /// True when the last write to standard error ended its line.
  nonisolated(unsafe) private static var areErrorsAtLineStart = true

  /// True if values and standard error end in one place: a file, a pipe or a terminal.
  package static let streamsAreOne: Bool = {
    var places = (stat(), stat())
    guard fstat(valueDescriptor, &places.0) == 0, fstat(STDERR_FILENO, &places.1) == 0 else {
      return false
    }
    return places.0.st_dev == places.1.st_dev && places.0.st_ino == places.1.st_ino
  }()

  /// True if values go to a terminal.
  package static let isTerminal = isatty(valueDescriptor) == 1

  /// Those who take part in writing.
  package struct Writers {
    /// Called before any other write, to remove transient text.
    package var willWrite: (() -> Void)?
    /// Takes what would be written to standard error; nil to write it.
    package var errors: (([UInt8]) -> Void)?
  }

  @exclusivity(unchecked) package nonisolated(unsafe) static var writers = Writers()

  /// Makes all writes to standard output whole, whoever writes. Before any output.
  package static func prepare() { csignals_replace_output() }

  /// True if scripts have printed something to standard output.
  package static var hasPrinted: Bool {
    csignals_has_written_output() || LuaInterpreter.hasOpenOutputLine != nil
  }

  /// Redirects printed text of scripts to standard error, which leaves standard output to values. A second
  /// call does nothing.
  ///
  /// - Returns: the descriptor of the values; nil if there is none, and nothing is redirected.
  @discardableResult
  package static func reserveOutput() -> Int32? {
    if valueDescriptor != STDOUT_FILENO { return valueDescriptor }
    let descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    guard descriptor >= 0, let file = csignals_open_stream(descriptor) else { return nil }
    fflush(standardOutput)
    dup2(STDERR_FILENO, STDOUT_FILENO)
    values = file
    BrokenPipeHandler.descriptor = descriptor
    return descriptor
  }

  /// Writes text of the runner to standard output, whole, with control characters made visible.
  ///
  /// - Throws: `OutputError` if the reader has closed the stream or the disk is full.
  package static func output(_ text: String) throws(OutputError) {
    try output(masked: Secrets.masked(text).visibleBesideColors)
  }

  /// Writes a line of JSON to standard output, as `output` does.
  package static func output(json text: String) throws(OutputError) {
    try output(masked: Secrets.masked(json: text).visibleJSON + "\n")
  }

  /// Writes text of the runner that holds no secret, or whose secrets are masked already.
  package static func output(masked text: String) throws(OutputError) {
    var code = text.withExactBytes { output(masked: $0) }
    if code == 0 { code = flushValues() }
    guard code != 0 else { return }
    isLost = true
    throw OutputError(code: code)
  }

  /// Writes bytes to standard output after the output of scripts; the next flush writes them at the
  /// latest.
  ///
  /// - Returns: an error number, or 0.
  package static func output(bytes: UnsafeRawBufferPointer) -> Int32 {
    withSecretsMasked(bytes) { output(masked: $0) }
  }

  private static func withSecretsMasked(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Int32
  ) -> Int32 {
    Secrets.masked(bytes)?.withUnsafeBytes(body) ?? body(bytes)
  }

  /// Writes bytes whose secrets are already masked to standard output.
  ///
  /// - Returns: an error number, or 0.
  package static func output(masked bytes: UnsafeRawBufferPointer) -> Int32 {
    writers.willWrite?()
    let isLong = bytes.count >= worthCall
    let code = isLong ? flushValues() : 0
    if let last = bytes.last { isAtLineStart = last == 10 }
    guard isLong else { return put(bytes, to: values) }
    return code == 0 ? write(bytes, to: fileno(values)) : code
  }

  /// The text that scripts print or write to standard error, in pieces of any length.
  nonisolated(unsafe) private static var printedPieces = SecretPieces()
  nonisolated(unsafe) private static var errorPieces = SecretPieces()

  /// Writes text that a script prints, with secrets masked, to the stream of its own `print`; whole
  /// lines at once.
  static func printed(_ bytes: UnsafeRawBufferPointer) {
    printedPieces.add(bytes, put(printed:))
  }

  /// Writes text that a script sends to standard error, with secrets masked.
  static func printed(errors bytes: UnsafeRawBufferPointer) {
    errorPieces.add(bytes, error(bytes:))
  }

  private static func put(printed bytes: UnsafeRawBufferPointer) {
    writers.willWrite?()
    if let last = bytes.last { isAtLineStart = last == 10 }
    _ = withSecretsMasked(bytes) { put($0, to: standardOutput) }
    if bytes.last == 10 { _ = flush(standardOutput) }
  }

  private static func put(_ bytes: UnsafeRawBufferPointer, to file: UnsafeMutablePointer<FILE>?)
    -> Int32
  {
    fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count ? 0 : errno
  }

  /// The number of bytes from which a separate system call costs less than a copy into the buffer,
  /// which the C library writes in up to three pieces.
  private static let worthCall = 4_096

  /// Flushes the buffer of values.
  ///
  /// - Returns: an error number, or 0.
  package static func flushValues() -> Int32 { flush(values) }

  private static func flush(_ file: UnsafeMutablePointer<FILE>?) -> Int32 {
    if file == standardOutput { noteOutputOfScripts() }
    return fflush(file) == 0 ? 0 : errno
  }

  /// Flushes all buffers, including those of scripts.
  ///
  /// - Returns: an error number if this fails or earlier output was lost; 0 otherwise.
  package static func flush() -> Int32 {
    printedPieces.finish(put(printed:))
    errorPieces.finish(error(bytes:))
    if isLost { return 0 }
    let code = flushValues()
    if code != 0 { return code }
    if values != standardOutput, fflush(standardOutput) != 0 { return errno }
    guard ferror(standardOutput) != 0 else { return 0 }
    let reason = csignals_output_failure()
    return reason != 0 ? reason : OutputError.unknown
  }

  /// Writes text of the runner to standard error, whole and at the beginning of a line, with control
  /// characters made visible.
  package static func error(_ text: String) {
    endLine()
    Secrets.masked(text).visibleBesideColors.withExactBytes { error(bytes: $0) }
  }

  /// Ends the line that is open at standard error, if one is.
  package static func endLine() {
    noteLinesOfScripts()
    guard !(streamsAreOne ? isAtLineStart : areErrorsAtLineStart) else { return }
    withUnsafeBytes(of: UInt8(10)) { error(bytes: $0) }
  }

  /// Takes into account what scripts have written past this type.
  private static func noteLinesOfScripts() {
    noteOutputOfScripts()
    if let isOpen = LuaInterpreter.takeOpenErrorLine() {
      areErrorsAtLineStart = !isOpen
      isAtLineStart = !isOpen
    }
  }

  private static func noteOutputOfScripts() {
    if let isOpen = LuaInterpreter.hasOpenOutputLine { isAtLineStart = !isOpen }
  }

  /// Called when the user has ended the line, which the terminal shows.
  package static func lineWasEnded() {
    isAtLineStart = true
    areErrorsAtLineStart = true
  }

  /// Writes bytes to standard error, whole, after the pending standard output.
  package static func error(bytes: UnsafeRawBufferPointer) {
    writers.willWrite?()
    _ = flushValues()
    if let last = bytes.last {
      isAtLineStart = last == 10
      areErrorsAtLineStart = isAtLineStart
    }
    _ = withSecretsMasked(bytes) { bytes in
      guard let writer = writers.errors else { return write(bytes, to: STDERR_FILENO) }
      writer(Array(bytes))
      return 0
    }
  }

  /// Writes transient text to standard error, bypassing the buffers.
  package static func transient(_ text: String) {
    var text = text
    text.withUTF8 { _ = write(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
  }

  /// Writes all bytes to a descriptor.
  ///
  /// - Returns: an error number, or 0.
  @discardableResult
  package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
    csignals_write(descriptor, bytes.baseAddress, bytes.count) == bytes.count ? 0 : errno
  }
}

/// The error when standard output cannot be written.
package struct OutputError: Error {
  /// The system's error number, or `unknown`.
  package let code: Int32

  package init(code: Int32) {
    self.code = code
  }

  static let unknown: Int32 = -1
}

extension OutputError: CustomStringConvertible {
  package var description: String {
    "cannot write to standard output" + (code == Self.unknown ? "" : ": \(systemErrorText(code))")
  }
}
