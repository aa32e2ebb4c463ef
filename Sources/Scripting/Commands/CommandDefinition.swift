import Commands
import LuaRuntime
import Reactive

/// Reads the arguments of `rac.command` and makes the command.
struct CommandDefinition {
  private let call: APICall
  private let host: ScriptHost
  private let problems: DefinitionProblems

  /// The user values of a command's userdata.
  private enum Slot {
    static let function = 1
    static let enabled = 2
  }

  init(_ call: APICall) {
    self.call = call
    host = call.host
    problems = DefinitionProblems(call.host)
  }

  // MARK: The table

  /// Pushes the command described by the table at argument 1.
  func pushFromTable() throws -> LuaOutcome {
    let fields = TableFields(call.stack, at: 1)
    try problems.lookForUnknownKeys(in: fields, of: Library.commandDefinition)
    let isRunnable = try problems.part(false) {
      guard fields.type("run") == .function else {
        throw bad("field 'run' must be a function, got \(fields.type("run").name)")
      }
      return true
    }
    var description = ScriptCommand.Description()
    description.name = try problems.part(nil) { try fields.name("name", problems) }
    description.summary = try text(fields, "summary")
    description.details = try text(fields, "description")
    description.group = try text(fields, "group")
    description.aliases = try problems.part([]) { try fields.names("aliases", problems) }
    description.isPrivate = fields["private"].isTruthy
    description.parameters = try problems.part(nil) { try parameters(fields) }
    description.needs = try texts(fields, "needs")
    description.environment = try CommandEnvironment(fields, problems)
    description.upToDate = try UpToDateRules(fields, problems)
    if !description.environment.secrets.isEmpty { call.host.onSecrets?() }
    Secrets.note(description.environment.secrets)
    Secrets.add(description.environment, defaultsOf: description.parameters ?? [])
    description.position = call.host.placeOfCall()
    description.policy = try CommandPolicy(fields, problems)
    guard isRunnable else { return try pushPlaceholder() }

    call.stack.rawGet("enabled", at: 1)
    call.stack.rawGet("run", at: 1)
    let function = call.stack.top
    if description.upToDate != nil { UpToDateRules.pushKept(from: 1, on: call.stack) }
    let (object, node) = push(
      function: function, enabled: function - 1,
      kept: description.upToDate == nil ? [] : [call.stack.top])
    let host = host
    let script = try make(description, node, enabledAt: function - 1) {
      [weak object] input in
      let input = try object?.script?.checked(input) ?? input
      let work = Work()
      return Signal { [weak object] observer, subscription in
        node.root(in: subscription)
        let execution = work.execution(of: object?.script)
        if host.isRehearsing { return observer.end(.completed) }
        let begin = { @Sendable (observer: Observer<LuaValue>) in
          host.within(execution) {
            let run = CoroutineRun(host, observer, subscription, resultUse: .signalOrValue)
            run.findUnusedSignals()
            run.start(node.userValue(Slot.function)) { stack in
              stack.push(input)
              run.pushEmit(on: stack)
              return 2
            }
          }
        }
        guard let execution else { return begin(observer) }
        execution.prepare(in: subscription) { failure in
          if let failure { return observer.end(.error(failure)) }
          UpToDateWork.start(execution, input, observer, subscription, begin)
        }
      }
    }
    try host.register(script, at: call.stack.top, on: call.stack)
    object.script = script
    return .results(1)
  }

  /// Pushes a command that does nothing, in place of one that could not be defined.
  func pushPlaceholder() throws -> LuaOutcome {
    call.stack.pushNil()
    let (object, node) = push(function: call.stack.top, enabled: call.stack.top)
    object.script = try make(
      ScriptCommand.Description(), node, enabledAt: call.stack.top - 1
    ) { _ in .empty() }
    return .results(1)
  }

  // MARK: RAC's initialisers

  /// Pushes the anonymous command of a signal block, which is called synchronously.
  func pushFromBlock() throws -> LuaOutcome {
    let blockIndex = call.has(2) || call.stack.type(at: 1) == .userdata ? 2 : 1
    let hasCondition = blockIndex == 2
    try call.lua.require(.function, at: blockIndex)
    if hasCondition { _ = try call.signal(at: 1) }
    var description = ScriptCommand.Description()
    description.position = host.placeOfCall()
    if let position = description.position { host.noteAnonymous(position) }
    call.stack.pushNil()
    let (object, node) = push(
      function: blockIndex, enabled: hasCondition ? 1 : call.stack.top)
    object.script = try make(
      description, node, enabledAt: hasCondition ? 1 : call.stack.top - 1
    ) { input in
      try node.callback(Slot.function).signal(of: input, from: "the signal block")
    }
    return .results(1)
  }

  // MARK: Parts

  /// - Parameter kept: the index of what `UpToDateRules.pushKept` has pushed, if it has.
  private func push(
    function: Int, enabled: Int, kept: [Int] = []
  ) -> (CommandObject, SignalNode) {
    let object = CommandObject()
    let node = call.push(object, as: Userdata.command, holding: [function, enabled] + kept)
    return (object, node)
  }

  private func make(
    _ description: ScriptCommand.Description, _ node: SignalNode,
    enabledAt index: Int,
    _ signalBlock: @escaping @Sendable (LuaValue) throws -> Signal<LuaValue>
  ) throws -> ScriptCommand {
    let condition = try condition(at: index, node, isNamed: description.name != nil)
    let policy = description.policy
    let command = Command<LuaValue, LuaValue>(
      name: description.name, enabled: condition.truth, scheduler: host.scheduler,
      concurrencyLimit: policy.concurrency, whenBusy: policy.whenBusy,
      replayCapacity: policy.replay, options: policy.options,
      willEnd: { [unowned(unsafe) host] in host.executionEnds($0, $1) }, signalBlock: signalBlock)
    return ScriptCommand(description, command, node: node, host: host, condition: condition)
  }

  /// Returns the enabled condition: a live signal, or a function.
  private func condition(
    at index: Int, _ node: SignalNode, isNamed: Bool
  ) throws -> EnabledCondition {
    switch call.stack.type(at: index) {
    case .nil, .none: return .always(host)
    case .function: return .asked(node.callback(Slot.enabled), in: host)
    default:
      guard let object = call.stack.object(at: index, Userdata.signal) else {
        let type = call.stack.type(at: index).name
        throw bad("field 'enabled' must be a signal or a function, got \(type)")
      }
      host.noteObserved(object)
      return .live(
        object.signal, in: host,
        isDeferred: host.defersConditions && isNamed && !object.dependsOnSubject)
    }
  }

  /// Returns nil if the field is absent: then the command accepts any input.
  private func parameters(_ fields: TableFields) throws -> [Parameter]? {
    guard call.stack.rawGet("params", at: 1) != .nil else {
      call.stack.pop()
      return nil
    }
    defer { call.stack.pop() }
    guard call.stack.type(at: -1) == .table else {
      throw bad("field 'params' must be a list of tables")
    }
    let list = call.stack.top
    var parameters: [Parameter] = []
    for position in 0..<call.stack.rawLength(at: list) {
      defer { call.stack.top = list }
      try problems.part(()) {
        guard call.stack.rawGet(position + 1, at: list) == .table else {
          throw bad("params[\(position + 1)] must be a table such as {name = \"target\"}")
        }
        let parameter = try Parameter(
          TableFields(call.stack, at: -1), place: "params[\(position + 1)]", problems)
        guard !parameters.contains(where: { $0.name == parameter.name }) else {
          throw bad("parameter '\(parameter.name)' is declared twice")
        }
        parameters.append(parameter)
      }
    }
    return parameters
  }

  private func text(_ fields: TableFields, _ name: String) throws -> String? {
    try problems.part(nil) { try fields.text(name, problems) }
  }

  private func texts(_ fields: TableFields, _ name: String) throws -> [String] {
    try problems.part([]) { try fields.texts(name, problems) }
  }

  private func bad(_ problem: String) -> any Error {
    problems.bad(problem)
  }
}

/// One call of a signal block; retries may subscribe to its signal several times.
private final class Work: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  private weak var known: ScriptExecution?

  /// Returns the execution whose work this is.
  func execution(of command: ScriptCommand?) -> ScriptExecution? {
    if known == nil { known = command?.claimDue() }
    return known
  }
}
