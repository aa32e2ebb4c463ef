import Commands
import EventLoop
import LuaRuntime
import RunnerCore
import Scripting

/// Presses of controls: by pages, and by other clients of the API.
extension Panel {
  /// How long the answer to a press waits for that of a condition.
  private static let patience = Duration.seconds(10)
  /// How many turns of the loop a control may need to follow its command.
  private static let turns = 10

  /// The accepted press: its execution, or the one that it has joined.
  typealias Accepted = (execution: PanelExecution, hasJoined: Bool)

  func execute(
    _ name: String, _ request: HTTPRequest, _ respond: @escaping (HTTPResponse) -> Void
  ) throws(APIError) {
    let isFollowed = try Query(request, known: ["follow"]).flag("follow")
    let body = try JSONBody(request.body, known: ["input", "arguments", "confirmed", "pinned"])
    let command = try command(name)
    let isPinned = try body.bool("pinned")
    if isPinned {
      guard command.panelPlace.isPinned else {
        throw .request(
          "'\(command.name)' is not in the header: its definition has no panel.pin")
      }
      if body["input"] != nil || body["arguments"] != nil {
        throw .request("a press in the header uses the input of the definition")
      }
    }
    let input = try isPinned ? PressedInput(json: command.panelPlace.input) : PressedInput(body)
    let place = feed.ring.end
    try press(
      command, input: input, isConfirmed: try body.bool("confirmed"),
      by: Requester(request), for: request.caller,
      isPinned ? controls.barItem(command.name) : controls.button(command.name)
    ) { [feed] answer in
      switch answer {
      case .failure(let error): respond(error.response)
      case .success(let accepted):
        let execution = accepted.execution
        let location = ("Location", "/api/v1/executions/\(execution.id)")
        guard isFollowed else {
          return respond(.json(201, Self.json(accepted), headers: [location]))
        }
        let reader = EventReader(
          feed, following: execution, place: accepted.hasJoined ? feed.ring.first : place)
        feed.add(reader)
        respond(
          HTTPResponse(
            200,
            headers: [
              ("Content-Type", "text/event-stream"), ("X-Execution", "\(execution.id)"), location,
            ],
            body: .stream(reader)))
      }
    }
  }

  func refresh(
    _ page: String, _ request: HTTPRequest, _ respond: @escaping (HTTPResponse) -> Void
  ) throws(APIError) {
    _ = try Query(request, known: [])
    let body = try JSONBody(request.body, known: ["command", "input", "confirmed"])
    let command = try command(try body.text("command"))
    guard command.panelPlace.isRefreshed else {
      throw .request(
        "'\(command.name)' has no refresh control: its definition has no panel.refresh")
    }
    guard feed.hasPage(page) else {
      throw APIError(404, "not_found", "no event stream is open for the page '\(page)'")
    }
    try press(
      command, input: PressedInput(json: body["input"]?.text ?? command.panelPlace.input),
      isConfirmed: try body.bool("confirmed"), by: Requester(request), for: request.caller,
      controls.refresher(of: command.name, on: page)
    ) { answer in
      switch answer {
      case .failure(let error): respond(error.response)
      case .success(let accepted): respond(.json(202, Self.json(accepted)))
      }
    }
  }

  private static func json(_ accepted: Accepted) -> JSONValue {
    .object(
      [
        ("id", .integer(Int64(accepted.execution.id))),
        ("state", .string(accepted.execution.state.rawValue)),
      ] + (accepted.hasJoined ? [("joined", .bool(true))] : []))
  }

  func command(_ name: String) throws(APIError) -> ScriptCommand {
    guard let command = workspace.host.command(named: name) else {
      throw .command(name, meant: workspace.host.meaning(of: name))
    }
    return command
  }

  // MARK: Presses

  /// Presses a control, and calls `answer` once, now or later.
  ///
  /// - Parameter caller: the variables that its run begins with; nil for those of the interpreter.
  /// - Throws: `APIError` for a press that is refused before.
  func press(
    _ command: ScriptCommand, input pressed: PressedInput, isConfirmed: Bool,
    by requester: Requester, for caller: CallerEnvironment?, _ control: PanelControl?,
    _ answer: @escaping (Result<Accepted, APIError>) -> Void
  ) throws(APIError) {
    let press = try workspace.host.serving(caller) {
      Result { () throws(APIError) in
        try self.press(
          of: command, input: pressed, isConfirmed: isConfirmed, by: requester, for: caller)
      }
    }.get()
    if let earlier = earlierExecution(joinedBy: command) {
      return answer(.success((earlier, true)))
    }
    guard let control else { throw .command(command.name, meant: nil) }
    press.onDecision = { answer($0.map { ($0, false) }) }
    self.press(control, command, press, turns: Self.turns, answer)
  }

  /// What is executed for a press, once nothing refuses it.
  private func press(
    of command: ScriptCommand, input pressed: PressedInput, isConfirmed: Bool,
    by requester: Requester, for caller: CallerEnvironment?
  ) throws(APIError) -> PanelPress {
    let input = try value(of: pressed, for: command)
    let call = Plan.Call(command, input)
    try checkState(of: command)
    let plan: Plan
    do throws(Failure) {
      plan = try Plan([call])
      for step in plan.steps {
        step.command.hideSecrets(of: step.input)
        // A worker has other surroundings.
        if board == nil { try step.command.checkSurroundings() }
      }
    } catch {
      throw APIError(422, error.kind.rawValue, "\(command.name): \(error.message)")
    }
    if !isConfirmed { try checkQuestions(of: plan) }
    return PanelPress(
      plan, by: requester, for: caller, isConfirmed: isConfirmed,
      input: try json(of: pressed, for: command, input))
  }

  /// Triggers a control, which follows its command a few turns of the loop later.
  private func press(
    _ control: PanelControl, _ command: ScriptCommand, _ press: PanelPress, turns: Int,
    _ answer: @escaping (Result<Accepted, APIError>) -> Void
  ) {
    control.press(press)
    if press.isHandedOver { return }
    if let execution = press.execution { return decide(execution, command, press, answer) }
    guard turns > 0 else {
      return answer(.failure(.notEnabled(command.name, "it is not enabled now")))
    }
    nonisolated(unsafe) let answer = answer
    session.loop.enqueue { [self] in
      do throws(APIError) { try checkState(of: command) } catch { return answer(.failure(error)) }
      self.press(control, command, press, turns: turns - 1, answer)
    }
  }

  /// The execution of an earlier command file that an execution of a command would join.
  private func earlierExecution(joinedBy command: ScriptCommand) -> PanelExecution? {
    guard case .join = command.whenBusy, command.runningCount == 0, command.queuedCount == 0 else {
      return nil
    }
    let earlier = earlierExecutions(of: command.name)
    return earlier.count >= command.concurrencyLimit.count ? earlier.last : nil
  }

  private func checkState(of command: ScriptCommand) throws(APIError) {
    let state = state(of: command)
    guard let reason = state.reason ?? command.machineRefusal else { return }
    throw .notEnabled(command.name, reason, note: numbers(busy: command))
  }

  /// The numbers of the executions that keep a command busy, for behind that reason.
  private func numbers(busy command: ScriptCommand) -> String {
    guard case .notEnabled(_, .busy)? = command.obstacle else { return "" }
    let ids = executions.own.filter { $0.command == command.name }.map(\.id).sorted()
    guard !ids.isEmpty else { return "" }
    return " (number\(ids.count > 1 ? "s" : "") \(ids.map(String.init).joined(separator: ", ")))"
  }

  /// - Throws: `APIError` with the questions that a run asks.
  private func checkQuestions(of plan: Plan) throws(APIError) {
    var questions: [JSONValue] = []
    for call in plan.steps.map(\.call) + plan.inner {
      let question: String?
      do { question = try call.question() } catch {
        throw APIError(422, "input", error.message)
      }
      guard let question else { continue }
      questions.append(
        .object([
          ("command", .string(call.command.name)), ("question", .string(question)),
        ]))
    }
    guard !questions.isEmpty else { return }
    throw APIError(
      409, "confirm", "it asks before it is executed; send it again with \"confirmed\": true",
      [("questions", .list(questions)), ("steps", .list(plan.steps.map(json(of:))))])
  }

  /// An execution of a plan, with secrets masked.
  private func json(of step: Plan.Step) -> JSONValue {
    var fields: [(String, JSONValue)] = [("command", .string(step.command.name))]
    if !step.input.isNil {
      fields.append(("input", .raw(EventJSON.text(of: step.input, step.command.host))))
    }
    return .object(fields)
  }

  // MARK: Answers

  /// Answers a press as soon as it is known whether it is accepted.
  private func decide(
    _ execution: PanelExecution, _ command: ScriptCommand, _ press: PanelPress,
    _ answer: @escaping (Result<Accepted, APIError>) -> Void
  ) {
    if let joined = execution.joined { return answer(.success((joined, true))) }
    if let refusal = refusal(of: execution, command) {
      executions.remove(execution)
      return answer(.failure(refusal))
    }
    if execution.state == .waiting {
      // It stands before all that has happened since.
      execution.held?.insert(("execution_waiting", execution.origin, execution.id), at: 0)
    }
    release(execution)
    let isAsked =
      command.hasPredicate || command.hasPrecondition || command.isConditionPending
      || command.mayBeRefusedByMachine
    guard execution.state == .waiting, press.plan?.steps.count == 1, isAsked else {
      return answer(.success((execution, false)))
    }
    var timer: Timer?
    let decided = {
      timer?.cancel()
      execution.onDecided = nil
      if let joined = execution.joined { return answer(.success((joined, true))) }
      if let refusal = self.refusal(of: execution, command) { return answer(.failure(refusal)) }
      answer(.success((execution, false)))
    }
    timer = session.loop.timer(after: Self.patience, decided)
    timer?.unref()
    execution.onDecided = decided
  }

  /// The error of an execution that its command did not accept.
  private func refusal(of execution: PanelExecution, _ command: ScriptCommand) -> APIError? {
    guard let failure = execution.failure, failure.kind == .notEnabled else { return nil }
    return APIError(
      409, "not_enabled", failure.message,
      [("reason", .string(command.preconditionReason ?? command.disabledReason ?? failure.message))]
    )
  }
}

extension APIError {
  /// - Parameter note: what follows the reason in the message.
  static func notEnabled(_ name: String, _ reason: String, note: String = "") -> APIError {
    APIError(
      409, "not_enabled", "'\(name)' is not enabled: \(reason)\(note)",
      [("reason", .string(Secrets.masked(reason)))])
  }
}
