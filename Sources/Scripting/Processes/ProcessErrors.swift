/// The standard error of one process, on its way to the host's: pieces are cut where secrets can be
/// masked in each by itself. Confined to the loop's thread.
final class ProcessErrors {
  private unowned(unsafe) let host: ScriptHost
  private let execution: ScriptExecution?
  private var pieces = SecretPieces()

  init(_ host: ScriptHost, _ execution: ScriptExecution?) {
    self.host = host
    self.execution = execution
  }

  func receive(_ bytes: UnsafeRawBufferPointer) {
    // Those who use a service show what it prints.
    if let service = execution?.serviceAround { return service.wroteErrors(bytes) }
    pieces.add(bytes, show)
  }

  /// Hands on the end, which may have been the beginning of a secret.
  func finish() {
    pieces.finish(show)
  }

  private func show(_ bytes: UnsafeRawBufferPointer) {
    execution?.note(.errors(Array(bytes)))
    host.observers.wroteErrors(bytes, of: execution?.origin)
  }
}
