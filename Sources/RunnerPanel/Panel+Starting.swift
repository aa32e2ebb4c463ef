import EventLoop
import RunnerCore
import Scripting

import Platform

extension Panel {
  /// `panel`: serves the commands of a command file until a signal ends it.
  package static func serve(_ line: CommandLine) throws -> Int32 {
    if let surplus = line.words.first {
      throw UsageError.input("unexpected argument '\(surplus)'; -f FILE names a command file")
    }
    let options = try PanelOptions(line)
    if line.has(.json) { Terminal.reserveOutput() }
    try HTTPServer.load()
    let token =
      try options.tokenFile.map { path throws(PanelError) in try Token(file: path) }
      ?? Token()
    let socket = try ListeningSocket(options.address)
    defer { socket.remove() }
    return try CommandFileSession(line).use { session, file in
      let panel = Panel(session, file: file, options)
      let gate = Gate(
        hosts: HostRules(allowed: options.allowedHosts), token: token,
        isReadOnly: options.isReadOnly)
      let handler = PanelServer(gate, panel)
      let server = try HTTPServer(socket, session.loop, handler)
      defer { server.stop() }
      let address = "\(socket.url ?? "http://localhost")/#token=\(token.text)"
      try Terminal.output("\(address)\n")
      session.wait { session.isEnding }
      return ExitStatus.success
    }
  }
}

/// What the options of `panel` say.
struct PanelOptions {
  let address: ListenAddress
  let isReadOnly: Bool
  /// The path as seen from the folder in which the program was started.
  let tokenFile: String?
  let allowedHosts: [String]
  /// How many executions that have ended are kept.
  let keep: Int

  init(_ line: CommandLine) throws {
    let text = line[.listen]
    guard let address = text.map(ListenAddress.init) ?? .usual else {
      throw UsageError.input(
        "--listen cannot be '\(text ?? "")'; it is 127.0.0.1:7878, :0 or unix:PATH")
    }
    self.address = address
    isReadOnly = line.has(.readOnly)
    tokenFile = line[.tokenFile]
    allowedHosts = line.all(.allowHost)
    keep = line.count(.keep) ?? 200
    guard address.isLocal || !allowedHosts.isEmpty else { throw PanelError.unnamedHost(text ?? "") }
  }
}
