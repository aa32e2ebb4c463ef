import EventLoop
import Platform
import RunnerCore
import Scripting

extension Panel: PanelAPI {
  func answer(
    _ route: Route, _ request: HTTPRequest, _ respond: @escaping (HTTPResponse) -> Void
  ) throws(APIError) {
    switch route {
    case .commands:
      _ = try Query(request, known: [])
      respond(.json(200, commandsJSON))
    case .commandExecutions(let name): try execute(name, request, respond)
    case .commandHistory(let name): try history(of: try command(name), request, respond)
    case .commandRestarts(let name):
      _ = try Query(request, known: [])
      _ = try JSONBody(request.body, known: [])
      let (services, command) = try service(name)
      services.restart(command, respond)
    case .commandLog(let name):
      _ = try Query(request, known: [])
      let (services, command) = try service(name)
      respond(services.log(of: command))
    case .executions:
      _ = try Query(request, known: [])
      respond(
        .json(
          200,
          .object([
            ("seq", .integer(Int64(feed.number))),
            ("executions", .list(executions.all.filter { $0.held == nil }.map(\.json))),
          ])))
    case .execution(let id):
      _ = try Query(request, known: [])
      let execution = try execution(id)
      respond(
        request.method == "DELETE"
          ? try cancel(execution, by: Requester(request)) : .json(200, execution.json))
    case .values(let id): respond(try values(of: try execution(id), request))
    case .input(let id):
      _ = try Query(request, known: [])
      let execution = try execution(id)
      try send(try JSONBody(request.body, known: ["text"]).text("text"), to: execution)
      respond(.json(202, execution.json))
    case .events: respond(try events(request))
    case .page(let name): respond(try page(name, request))
    case .refreshes(let page): try refresh(page, request, respond)
    case .timeline: respond(try timeline(request))
    }
  }

  private func service(_ name: String) throws(APIError) -> (PanelServices, ScriptCommand) {
    let command = try command(name)
    guard let services, command.isService else { throw .request("'\(name)' is not a service") }
    return (services, command)
  }

  func execution(_ id: Int) throws(APIError) -> PanelExecution {
    guard let execution = executions[id], execution.held == nil else { throw .execution("\(id)") }
    return execution
  }

  private func cancel(_ execution: PanelExecution, by canceller: Requester) throws(APIError)
    -> HTTPResponse
  {
    if execution.isOver {
      throw .ended(execution)
    }
    end(execution, by: canceller)
    return .json(202, execution.json)
  }

  /// Sends a line to the process of an execution that has started last.
  ///
  /// - Throws: `APIError` if there is none, or none that waits for lines.
  func send(_ line: String, to execution: PanelExecution) throws(APIError) {
    guard !execution.isOver else { throw .ended(execution) }
    if let hub = execution.hub {
      throw APIError(
        409, "no_input",
        "execution \(execution.id) runs in the hub; to send it a line: raclette :input \(hub) TEXT")
    }
    guard let lines = execution.lines else {
      throw APIError(
        409, "no_input",
        "execution \(execution.id) has no input: its command \(execution.command) lacks stdin = true"
      )
    }
    guard lines.send(line: line.exactBytes) else {
      throw APIError(409, "no_input", "execution \(execution.id) has no process that runs now")
    }
  }

  /// Cancels an execution that has not ended.
  ///
  /// - Parameter canceller: what has asked for that.
  func end(_ execution: PanelExecution, by canceller: Requester) {
    if let hub, let number = execution.hub { return hub.cancel(number, by: canceller) }
    execution.cancelledBy = execution.cancelledBy ?? canceller.rawValue
    if let board {
      board.cancel(execution)
    } else if let own = execution.execution {
      own.cancel()
    } else {
      execution.run?.cancel()
    }
  }

  // MARK: Commands

  private var commandsJSON: JSONValue {
    let shown = commands.filter { !$0.isPrivate }
    var fields: [(String, JSONValue)] = [
      ("seq", .integer(Int64(feed.number))), ("version", .string(ScriptHost.version)),
      ("file", .string(file)),
    ]
    if let folder = resolvedPath(".") {
      fields.append(("folder", .string(folder)))
      fields.append(("title", .string(CommandFile.split(folder).name)))
    }
    fields.append(("read_only", .bool(isReadOnly)))
    if let board { fields.append(("journal", .object(board.fields))) }
    if let loadProblem { fields.append(("error", .string(Secrets.masked(loadProblem)))) }
    fields.append(("groups", .list(CommandGroups(shown).json)))
    fields.append(
      (
        "commands",
        .list(
          shown.map { .object($0.panelFields + state(of: $0).fields + results.fields(of: $0.name)) }
        )
      ))
    return .object(fields)
  }

  func timeline(_ request: HTTPRequest) throws(APIError) -> HTTPResponse {
    let query = try Query(request, known: ["width"])
    let width = try query.number("width", in: 320...4_096) ?? 960
    let picture = TimelinePicture(of: executions.all.reversed(), width: Double(width), title: file)
    return HTTPResponse(
      200, headers: [("Content-Type", "image/svg+xml; charset=utf-8")],
      body: .bytes(Array(picture.text.utf8)))
  }
}

extension ScriptCommand {
  /// What the page shows of the command besides its state, with secrets masked. Names and what the
  /// program itself says stay: a secret such as `1` must not make the document another one.
  var panelFields: [(String, JSONValue)] {
    let written = ["summary", "description", "confirm", "pin", "position"]
    return definitionFields.map { name, value in
      if written.contains(name) { return (name, value.masked ?? value) }
      guard name == "params", case .list(let parameters) = value else { return (name, value) }
      return (name, .list(parameters.map(Self.maskedParameter)))
    }
  }

  private static func maskedParameter(_ parameter: JSONValue) -> JSONValue {
    guard case .object(let fields) = parameter else { return parameter }
    let written = ["default", "choices", "help"]
    return .object(
      fields.map { ($0, written.contains($0) ? $1.masked ?? $1 : $1) })
  }

  private var definitionFields: [(String, JSONValue)] {
    var fields = fields.filter { !["enabled", "reason"].contains($0.0) }
    if let details { fields.append(("description", .string(details))) }
    if takesAnyInput { fields.append(("open", .bool(true))) }
    if let fixedQuestion { fields.append(("confirm", .string(fixedQuestion))) }
    if mayAsk { fields.append(("asks", .bool(true))) }
    if !listedNeedsText.isEmpty {
      fields.append(("needs", .list(listedNeedsText.map { .string($0) })))
      if needsInOrder { fields.append(("needs_in_order", .bool(true))) }
    }
    fields += before
    let steps = stepsText(with: .nil)
    if !steps.isEmpty { fields.append(("steps", .list(steps.map { .string($0) }))) }
    fields.append(("when_busy", .string(whenBusy.name)))
    if panelPlace.isPinned {
      fields.append(
        ("pin", .object(panelPlace.input.map { [("input", .raw($0))] } ?? [])))
    }
    if panelPlace.isRefreshed { fields.append(("refresh", .bool(true))) }
    return fields
  }
}

extension ScriptCommand {
  /// How many names `first` has at most.
  private static let mostFirst = 50

  /// `first`, the names of the commands that are executed before it whatever the input is, in order.
  fileprivate var before: [(String, JSONValue)] {
    var seen: Set<String> = [name]
    var names: [String] = []
    func visit(_ command: ScriptCommand) {
      for need in command.listedNeedNames where seen.count <= Self.mostFirst {
        guard let needed = host.command(named: need), seen.insert(needed.name).inserted else {
          continue
        }
        visit(needed)
        names.append(needed.name)
      }
    }
    visit(self)
    return names.isEmpty ? [] : [("first", .list(names.map { .string($0) }))]
  }
}

/// Commands by the headings under which they are listed: those of included files come last, and in
/// each file those without a group first.
private struct CommandGroups {
  let json: [JSONValue]

  init(_ commands: [ScriptCommand]) {
    var namespaces: [String?] = [nil]
    for command in commands where !namespaces.contains(command.namespace) {
      namespaces.append(command.namespace)
    }
    json = namespaces.flatMap { namespace in
      let own = commands.filter { $0.namespace == namespace }
      var groups: [String?] = [nil]
      for command in own where !groups.contains(command.group) { groups.append(command.group) }
      return groups.compactMap { group -> JSONValue? in
        let names = own.filter { $0.group == group }.map { JSONValue.string($0.name) }
        if names.isEmpty { return nil }
        let title = [namespace, group].compactMap { $0 }.joined(separator: " / ")
        return .object(
          (title.isEmpty ? [] : [("title", .string(title))]) + [("commands", .list(names))])
      }
    }
  }
}
