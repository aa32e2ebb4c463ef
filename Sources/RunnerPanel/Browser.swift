import EventLoop
import Platform
import RunnerCore

private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// The user's browser, opened at an address.
///
/// All users of a system see the arguments of its programs. The address holds the token, so the
/// browser gets the path of a file that only the user may read, and that leads to the address.
final class Browser {
  private let path: String?

  /// Opens an address. The panel goes on whether or not that succeeds.
  init(_ address: String, _ session: Session) {
    path = Self.writePage(leadingTo: address)
    guard let path else {
      session.report.say("cannot open a browser: \(systemErrorText(errno))")
      return
    }
    #if os(macOS)
      let program = "open"
    #else
      let program = "xdg-open"
    #endif
    do { _ = try session.loop.spawnDetached(ProcessRequest([program, path])) } catch {
      session.report.say("cannot open a browser: \(error)")
    }
  }

  func close() {
    if let path { unlink(path) }
  }

  private static func writePage(leadingTo address: String) -> String? {
    let folder = ProcessEnvironment.folder(of: "XDG_RUNTIME_DIR") ?? "/tmp"
    var template = Array("\(folder)/raclette-XXXXXX.html".utf8CString)
    // Others may not read what it makes.
    let descriptor = mkstemps(&template, Int32(".html".utf8.count))
    guard descriptor >= 0 else { return nil }
    defer { _ = closeDescriptor(descriptor) }
    let page = """
      <!doctype html><title>Raclette</title>
      <meta http-equiv="refresh" content="0; url=\(address)">

      """
    _ = page.withExactBytes { writeBytes($0, to: descriptor) }
    return template.withUnsafeBufferPointer { $0.baseAddress.map { String(exactly: $0) } }
  }
}
