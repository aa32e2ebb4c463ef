import EventLoop
import RunnerCore
import Scripting

/// The tools that execute something.
extension PanelTools {
  func run(_ run: ToolRun, _ pending: PendingCall) throws(ToolProblem) {
    try checkWritable()
    // The call is repeated with the answer of a person.
    if let state = pending.call.state, let isAccepted = pending.call.isAccepted,
      let number = Int(state), let question = questions.take(number), question.run.isSame(as: run)
    {
      return try proceed(question, isAccepted: isAccepted, pending)
    }
    try start(run, isConfirmed: false, pending)
  }

  private func proceed(
    _ question: ToolQuestions.Question, isAccepted: Bool, _ pending: PendingCall
  ) throws(ToolProblem) {
    guard isAccepted else {
      throw ToolProblem(
        "\(question.run.command): the question was answered with no; nothing was executed",
        kind: "declined")
    }
    try start(question.run, isConfirmed: true, pending)
  }

  private func start(
    _ run: ToolRun, isConfirmed: Bool, _ pending: PendingCall
  ) throws(ToolProblem) {
    let host = panel.workspace.host
    guard let command = host.command(named: run.command) else {
      let error = APIError.command(run.command, meant: host.meaning(of: run.command))
      throw ToolProblem(error.message + "; list shows them", kind: error.kind)
    }
    let missing = command.parameters.filter { parameter in
      parameter.isRequired && !parameter.isComputed
        && !run.input.contains { $0.0 == parameter.name }
    }
    guard missing.isEmpty else {
      return ask(run, .parameters(missing.map(\.name)), of: command, pending)
    }
    let state = panel.state(of: command)
    if run.waitsUntilEnabled, let reason = state.reason, !command.isInteractive {
      return wait(run, isConfirmed: isConfirmed, reason, pending)
    }
    do throws(APIError) {
      try panel.press(
        command,
        input: PressedInput(json: run.input.isEmpty ? nil : JSONValue.object(run.input).text),
        isConfirmed: isConfirmed, by: .agent, for: pending.call.caller,
        panel.controls.button(command.name)
      ) { [self] result in
        switch result {
        case .failure(let error): pending.finish(Self.problem(error).answer)
        case .success(let accepted): accept(accepted, run, pending)
        }
      }
    } catch {
      guard error.kind == "confirm" else { throw Self.problem(error) }
      ask(run, .confirm(Self.text(ofQuestions: error)), of: command, pending)
    }
  }

  private func accept(_ accepted: Panel.Accepted, _ run: ToolRun, _ pending: PendingCall) {
    let execution = accepted.execution
    if pending.call.kind == .taskTool, !pending.isForgotten, let task = task(of: execution) {
      return pending.finish(.success(.task(task)))
    }
    // Somebody else has started what it has joined.
    if !run.isDetached, !accepted.hasJoined {
      guard !pending.isForgotten else { return panel.end(execution, by: .agent) }
      pending.started = execution.id
      own(execution, by: pending.call.id.client)
    }
    tell(execution, after: run.wait, pending)
  }

  private static func problem(_ error: APIError) -> ToolProblem {
    ToolProblem(error.message, kind: error.kind)
  }

  /// Starts a command once it is enabled.
  private func wait(
    _ run: ToolRun, isConfirmed: Bool, _ reason: String, _ pending: PendingCall
  ) {
    let loop = panel.session.loop
    let deadline = EventLoop.now + run.wait.duration
    pending.wait(forCommand: run.command, atMost: run.wait, on: loop) { [self] pending in
      var run = run
      let left = deadline - EventLoop.now
      run.wait = ToolWait(seconds: max(0, left / .seconds(1)))
      run.waitsUntilEnabled = left > .zero
      do throws(ToolProblem) { try start(run, isConfirmed: isConfirmed, pending) } catch {
        pending.finish(error.answer)
      }
    }
  }

  // MARK: Questions

  private static func text(ofQuestions error: APIError) -> String {
    guard case .list(let questions)? = error.fields.first(where: { $0.0 == "questions" })?.1 else {
      return error.message
    }
    return Secrets.masked(
      questions.map {
        "\($0[field: "command"]?.string ?? "") asks: \($0[field: "question"]?.string ?? "")"
      }.joined(separator: "\n"))
  }

  private func ask(
    _ run: ToolRun, _ kind: ToolQuestions.Question.Kind, of command: ScriptCommand,
    _ pending: PendingCall
  ) {
    let number = questions.add(run, kind)
    var fields: [(String, JSONValue)] = [
      ("question", .integer(Int64(number))), ("command", .string(command.name)),
    ]
    switch kind {
    case .confirm(let text):
      if pending.call.canAsk { return pending.finish(.question(text, state: "\(number)")) }
      fields.append(("asks", .string("confirm")))
      pending.finish(
        .result(
          text: """
            \(text)
            nothing is executed yet; ask the user, and if the answer is yes: \
            answer {"question": \(number), "confirm": true}

            """, fields: fields, isError: false))
    case .parameters(let names):
      fields.append(("asks", .string("input")))
      fields.append(("missing", .list(names.map { .string($0) })))
      let list = names.map { "'\($0)'" }.joined(separator: ", ")
      let help = command.helpText.split(separator: "\n").drop { !$0.hasPrefix("Parameters:") }
      pending.finish(
        .failure(
          """
          \(command.name): parameter\(names.count > 1 ? "s" : "") \(list) \
          \(names.count > 1 ? "are" : "is") missing; nothing is executed yet; \
          answer {"question": \(number), "input": {…}} gives what is missing
          \(Secrets.masked(help.joined(separator: "\n")))

          """, fields))
    }
  }

  func answer(_ arguments: ToolArguments, _ pending: PendingCall) throws(ToolProblem) {
    try checkWritable()
    if let line = arguments.text("text") {
      return try send(line, to: try execution(arguments.integer("number")), pending)
    }
    guard let number = arguments.integer("question") else {
      throw ToolProblem("answer: argument 'question' is missing, or 'number' with 'text'")
    }
    // The answer to the question of a run that this answer has started.
    if pending.call.state != nil, pending.call.isAccepted != nil { return try repeated(pending) }
    guard let question = questions.take(number) else {
      throw ToolProblem(
        "there is no question \(number), or it was answered before; run asks again",
        kind: "not_found")
    }
    var run = question.run
    run.wait = try arguments.wait(otherwise: run.wait.seconds)
    if case .object(let fields)? = arguments["input"] {
      run.input = run.input.filter { old in !fields.contains { $0.0 == old.0 } } + fields
    }
    switch question.kind {
    case .confirm(let text):
      guard let isConfirmed = arguments["confirm"]?.bool else {
        questions.restore(question, as: number)
        throw ToolProblem("\(text)\nanswer needs 'confirm': true or false")
      }
      guard run.isSame(as: question.run) else {
        questions.restore(question, as: number)
        throw ToolProblem("the question was about another input; run asks again")
      }
      try proceed(
        ToolQuestions.Question(run: run, kind: question.kind), isAccepted: isConfirmed, pending)
    case .parameters: try start(run, isConfirmed: false, pending)
    }
  }

  private func send(
    _ line: String, to execution: PanelExecution, _ pending: PendingCall
  ) throws(ToolProblem) {
    do throws(APIError) { try panel.send(line, to: execution) } catch { throw Self.problem(error) }
    pending.finish(
      .result(
        text:
          "sent to \(execution.command); look {\"number\": \(execution.id)} shows what it says\n",
        fields: ExecutionText(execution: execution).fields, isError: false))
  }

  private func repeated(_ pending: PendingCall) throws(ToolProblem) {
    guard let number = pending.call.state.flatMap({ Int($0) }),
      let question = questions.take(number)
    else {
      throw ToolProblem("the question was answered before; run asks again", kind: "not_found")
    }
    try proceed(question, isAccepted: pending.call.isAccepted ?? false, pending)
  }

  // MARK: The end of executions

  func cancel(_ execution: PanelExecution, _ pending: PendingCall) throws(ToolProblem) {
    try checkWritable()
    if !execution.isOver { panel.end(execution, by: .agent) }
    // Longer than the time after which processes are killed.
    tell(execution, after: ToolWait(seconds: 60), pending)
  }
}
