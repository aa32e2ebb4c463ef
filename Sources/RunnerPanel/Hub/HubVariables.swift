import Platform
import RunnerCore
import Scripting

/// The variables with which a hub loads its command file: those of the call that has started it, until a
/// client comes for which the file would read something else. On the loop's thread.
final class HubVariables {
  /// The entries `NAME=value` for the next load.
  private var entries = ProcessEnvironment.variables().map {
    $0.name.exactBytes + [UInt8(ascii: "=")] + $0.value
  }
  /// The folder of the client for which the next load is.
  private var folder = InvocationFolder.path
  /// Those of the latest load, by which it is known what the file has read.
  private var latest: CallerEnvironment?

  /// Those of an interpreter that is going to load the file.
  func take() -> CallerEnvironment {
    let environment = CallerEnvironment(entries, in: folder)
    // What does not ask the interpreter sees them, too: libraries in C, and the readers of other tools' files.
    ProcessEnvironment.restore(environment.originals)
    latest = environment
    return environment
  }

  /// Sets those of the next load.
  func use(_ sent: HubEnvironment) { (entries, folder) = (sent.entries, sent.folder) }

  /// True if the file, as it was loaded last, would have read something else for a client.
  func wereRead(differentlyFrom sent: HubEnvironment?) -> Bool {
    sent.map { latest?.wasRead(differentlyFrom: $0.entries, in: $0.folder) == true } ?? false
  }
}
