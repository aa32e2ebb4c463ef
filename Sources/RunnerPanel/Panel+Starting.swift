import EventLoop
import Platform
import RunnerCore
import Scripting

extension Panel {
  /// `panel`: serves the commands of a command file until a signal ends it.
  ///
  /// - Parameter queue: makes the queue to which presses go; nil to execute them here.
  package static func serve(
    _ line: CommandLine, queue: ((Session) -> any SharedQueue)? = nil
  ) throws -> Int32 {
    if let surplus = line.words.first {
      throw UsageError.input("unexpected argument '\(surplus)'; -f FILE names a command file")
    }
    let options = try PanelOptions(line)
    try HTTPServer.load()
    let token = try options.token()
    let socket = try ListeningSocket(options.address)
    defer { socket.remove() }
    let journal = JournalPath.forPanel(line)
    var begun: Panel?
    let commandFile = CommandFileSession(
      line,
      confirmation: { call throws(Failure) in
        guard let begun else { return try Panel.refuse(call) }
        try begun.confirm(call)
      }, environment: CallerEnvironment.ofOneInterpreter)
    return try commandFile.use { session, file in
      let panel = try Panel(
        session, file: file, options, queue: queue?(session), isPrinted: line.has(.json))
      defer { panel.finishMessages() }
      begun = panel
      try panel.awaitQueue()
      if queue == nil {
        panel.keepPresses(in: journal)
        try panel.showHub()
      }
      if session.isEnding { return ExitStatus.failure }
      let gate = Gate(
        hosts: HostRules(allowed: options.allowedHosts), token: token,
        isReadOnly: options.isReadOnly)
      let handler = PanelServer(gate, panel, MCPDoor(panel.tools)) { panel.metricsText }
      let server = try HTTPServer(socket, session.loop, handler)
      session.onInterrupt = { panel.cancelAll() }
      let address = options.publicAddress(of: socket) + "/#token=\(token.text)"
      try panel.show(address: address)
      if case .path(let path) = options.address {
        session.report.say("listening at unix:\(path); a tunnel to it leads to the page")
      }
      let browser = line.has(.open) ? Browser(address, session) : nil
      defer { browser?.close() }
      panel.run()
      panel.end()
      server.stop()
      return ExitStatus.success
    }
  }
}

extension Panel {
  /// Reads what there is in the shared queue, if there is one.
  private func awaitQueue() throws {
    guard let board else { return }
    board.start()
    session.wait { board.isReady || board.failure != nil || session.isEnding }
    if let failure = board.failure { throw failure }
  }
}

/// What the options of `panel` say.
struct PanelOptions {
  let address: ListenAddress
  let isReadOnly: Bool
  private let tokenFile: String?
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
    for host in allowedHosts where !HostRules.isName(host) {
      throw UsageError.input("--allow-host cannot be '\(host)'; it is a name such as build.example")
    }
    keep = line.count(.keep) ?? 200
    guard address.isLocal || !allowedHosts.isEmpty else { throw PanelError.unnamedHost(text ?? "") }
  }

  /// - Throws: `PanelError`.
  func token() throws(PanelError) -> Token {
    if let tokenFile { return try Token(file: tokenFile) }
    return try Token()
  }

  /// The address of the page, without a path.
  func publicAddress(of socket: ListeningSocket) -> String {
    guard let url = socket.url else { return "http://localhost" }
    guard !address.isLocal, let name = allowedHosts.first else { return url }
    // One that listens everywhere goes by its name.
    let port = url.cut(atLast: ":")?.after ?? ""
    return name.contains(":") && !name.hasSuffix("]") ? "http://\(name)" : "http://\(name):\(port)"
  }
}
