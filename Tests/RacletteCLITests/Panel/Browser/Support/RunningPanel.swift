import Platform
import Testing

/// A panel at work, which is killed with the object.
final class RunningPanel: Sendable {
  /// The address that it printed, with the token.
  let address: String
  private let running: Running
  /// Stays as long as the panel does.
  private let folder: Folder

  /// Starts one, and waits for its address.
  init(_ arguments: [String], in folder: Folder) async {
    let launch = Launch(
      arguments: ["panel"] + arguments, folder: folder.path, input: .closed)
    let running = await onThread {
      let running = Running(launch)
      running.waitForOutputLines(1)
      return running
    }
    self.running = running
    self.folder = folder
    address = String(running.output.prefix { $0 != "\n" })
  }

  /// The address without the token.
  var origin: String { String(address.prefix { $0 != "#" }) }
  var token: String { String(address.split(separator: "=").last ?? "") }
  /// The port and the host before it.
  var listen: String { String(origin.dropFirst("http://".count).prefix { $0 != "/" }) }

  func get(signal: Int32) { running.get(signal: signal) }

  /// Ends it by a signal.
  @discardableResult
  func end(by signal: Int32) async -> Outcome {
    let running = running
    return await onThread {
      running.get(signal: signal)
      return running.finish()
    }
  }
}
