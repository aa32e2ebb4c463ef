import Commands
import LuaRuntime
import Platform
import Reactive

/// Reads the arguments of `rac.command` and makes the command.
struct CommandDefinition {
  let call: APICall
  let host: ScriptHost
  private let problems: DefinitionProblems
  /// Nil for a command of the script's own.
  private let adopted: AdoptedDefinition?

  /// The user values of a command's userdata.
  enum Slot {
    /// The function of a signal block, or the table of the functions of `run` or `steps`.
    static let function = 1
    /// The position of the function of `confirm` in that table, before those of the work.
    static let positionOfQuestion = 0
    static let enabled = 2
    static let needs = 3
    static let precondition = 4
    /// What `UpToDateRules.pushKept` has made.
    static let kept = 5
    /// The definition, and the computed defaults of parameters by their names, if any value is computed.
    static let computed = 6
    /// What `ready` of a service is, if it is a signal or a function.
    static let ready = 7
  }

  init(_ call: APICall, adopted: AdoptedDefinition? = nil) {
    self.call = call
    self.adopted = adopted
    host = call.host
    problems = DefinitionProblems(call.host)
  }

  // MARK: The table

  /// Pushes the command described by the table at argument 1.
  func pushFromTable() throws -> LuaOutcome {
    try ServiceRules.refuseOthers(TableFields(call.stack, at: 1), problems)
    try FileDefaults.apply(to: call)
    let fields = TableFields(readingKeysOf: call.stack, at: 1)
    try problems.lookForUnknownKeys(in: fields, of: Library.commandDefinition)
    // Pushes the table of its functions.
    var work = try problems.part(nil) { try CommandWork.read(fields, problems) }
    work?.arguments = adopted?.arguments
    var description = ScriptCommand.Description()
    description.name = try problems.part(nil) { try fields.name("name", problems) }
    description.summary = try text(fields, "summary")
    description.details = try text(fields, "description")
    description.group = try text(fields, "group")
    description.aliases = try problems.part([]) { try fields.names("aliases", problems) }
    let isPrivate = try problems.part(nil) {
      try fields.bool("private", called: "field 'private'", bad)
    }
    description.isPrivate = isPrivate ?? (description.name?.isPrivateName == true)
    description.parameters = try problems.part(nil) { try Parameter.all(fields, problems) }
    description.work = work
    if fields.type("params") == .nil {
      description.parameters = []
      description.takesInputOfPrograms = work?.isWithoutFunctions != true
    }
    if let work { try problems.part(()) { try checkRest(of: description.parameters, in: work) } }
    description.needs = .listed(try problems.part(NeedList()) { try listedNeeds(fields) })
    if fields.type("confirm") == .function {
      description.confirmation = .asked
    } else {
      description.confirmation = try text(fields, "confirm").map { .text($0) }
    }
    description.isDefault = try problems.part(false) { try fields.bool("default", problems) }
    description.takesLines = try problems.part(false) { try fields.bool("stdin", problems) }
    description.isTool = try problems.part(false) { try fields.bool("mcp", problems) }
    description.systems = try problems.part(nil) { try OperatingSystem.list(fields, problems) }
    description.environment = try CommandEnvironment(fields, problems)
    description.upToDate = try UpToDateRules(fields, problems)
    description.caching = try CachingRules(fields, problems)
    description.environment.passed = description.caching.map(PassedVariables.init)
    description.watch = try problems.part([]) { try WatchPatterns.all(fields, "watch", bad) }
    description.service = try ServiceRules(fields, problems)
    description.panel = try problems.part(PanelPlace()) { try PanelPlace(fields, problems) }
    if let scope = host.scopeOfDefinition() { description.place(in: scope) }
    description.watch = description.watch.map {
      WatchPatterns.pattern($0, in: description.folder)
    }
    if !description.environment.secrets.isEmpty { call.host.observers.hasSecrets(call.host) }
    Secrets.note(description.environment.secrets, in: call.host.environment)
    Secrets.add(description.environment, defaultsOf: description.parameters ?? [])
    description.position = adopted?.position ?? call.host.placeOfDefinition()
    description.adoptedFile = adopted?.file
    description.policy = try CommandPolicy(fields, problems)
    if description.service != nil { description.policy.becomeOfService(fields) }
    try problems.part(()) {
      let resources = description.policy.resources
      let host = call.host
      let budget = host.policy.resources
      if let excess = budget.contradiction(of: resources, in: host.declaredResources) {
        throw problems.bad("field 'uses' has \(resources.text), but \(excess)")
      }
    }
    guard let work = description.work else { return try pushPlaceholder() }

    let functions = call.stack.top
    if case .asked? = description.confirmation {
      fields.push("confirm")
      call.stack.rawSet(Slot.positionOfQuestion, at: functions)
    }
    for field in ["enabled", "needs", "precondition"] { fields.push(field) }
    var held = [functions, functions + 1, functions + 2, functions + 3]
    if description.upToDate != nil || description.service != nil {
      UpToDateRules.pushKept(from: 1, on: call.stack)
    } else {
      call.stack.pushNil()
    }
    held.append(call.stack.top)
    if description.hasComputedValues {
      pushComputed(description.parameters ?? [])
      held.append(call.stack.top)
    }
    if description.service != nil {
      if !description.hasComputedValues {
        call.stack.pushNil()
        held.append(call.stack.top)
      }
      fields.push("ready")
      held.append(call.stack.top)
    }
    let (object, node) = push(held)
    if call.stack.type(at: functions + 2) == .function {
      description.needs = .asked(node.callback(Slot.needs))
    }
    let host = host
    let script = try make(
      description, node, enabledAt: functions + 1, preconditionAt: functions + 3
    ) { [command = LoopBound(WeakCommand(object))] input in
      let command = command.value
      let input = try command.script?.checked(input) ?? input
      // Retries may subscribe to the signal of one call several times.
      weak var known: ScriptExecution?
      return Signal(
        source: onLoop { observer, subscription in
          node.root(in: subscription)
          let execution = known ?? command.script?.claimDue()
          known = execution
          if host.isRehearsing { return observer.end(.completed) }
          let begin = {
            (observer: Observer<LuaValue>, input: LuaValue, subscription: CompoundDisposable) in
            let run = WorkRun(
              host: host, work: work, function: { node.userValue(Slot.function, element: $0) },
              execution: execution, input: input)
            run.signal.failingLate(of: execution).observe(observer, in: subscription)
          }
          guard let execution else { return begin(observer, input, subscription) }
          execution.scriptCommand.complete(input, for: execution, in: subscription) { completed in
            switch completed {
            case .failure(let error): observer.end(.error(error))
            case .success(let input) where execution.isVisit:
              execution.scriptCommand.visit(input, for: execution)
                .observe(observer, in: subscription)
            case .success(let input):
              execution.prepare(input, in: subscription) { failure in
                if let failure { return observer.end(.error(failure)) }
                UpToDateWork.start(execution, input, observer, subscription) {
                  observer, subscription in
                  execution.takeWhatItUses(in: subscription) { failure in
                    if let failure { return observer.end(.error(failure)) }
                    begin(observer, input, subscription)
                  }
                }
              }
            }
          }
        })
    }
    try host.register(script, at: call.stack.top, on: call.stack)
    object.script = script
    try problems.part(()) { try script.checkPanelInput(problems) }
    return .results(1)
  }

  /// Pushes the table of what computes values of the definition. [-0, +1]
  private func pushComputed(_ parameters: [Parameter]) {
    let stack = call.stack
    stack.newTable(elements: 1)
    let computed = stack.top
    // It keeps the values of `rac.lazy` in texts.
    stack.copy(from: 1)
    stack.rawSet(1, at: computed)
    guard parameters.contains(where: \.isComputed) else { return }
    stack.rawGet("params", at: 1)
    let list = stack.top
    for position in 0..<stack.rawLength(at: list) {
      stack.rawGet(position + 1, at: list)
      let fields = TableFields(stack, at: -1)
      if let name = fields.text("name"), fields.hasComputed("default") {
        stack.rawGet("default", at: fields.index)
        stack.rawSet(name, at: computed)
      }
      stack.top = list
    }
    stack.top = computed
  }

  /// Pushes a command that does nothing, in place of one that could not be defined.
  func pushPlaceholder() throws -> LuaOutcome {
    call.stack.pushNil()
    let (object, node) = push([call.stack.top, call.stack.top])
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
    description.position = host.placeOfDefinition()
    call.stack.pushNil()
    let (object, node) = push([blockIndex, hasCondition ? 1 : call.stack.top])
    object.script = try make(
      description, node, enabledAt: hasCondition ? 1 : call.stack.top - 1
    ) { input in
      try node.callback(Slot.function).signal(of: input, from: "the signal block")
    }
    return .results(1)
  }

  // MARK: Parts

  /// Pushes the userdata, which keeps the values at some indexes in its slots.
  private func push(_ held: [Int]) -> (CommandObject, SignalNode) {
    let object = CommandObject()
    let node = call.push(object, as: Userdata.command, holding: held)
    return (object, node)
  }

  /// Reads what it needs whatever its input is; nothing if a function returns its needs.
  private func listedNeeds(_ fields: TableFields) throws -> NeedList {
    let type = fields.push("needs")
    defer { call.stack.pop() }
    if type == .function { return NeedList() }
    return try NeedList(
      at: call.stack.top, on: call.stack, called: "field 'needs'", problems.bad)
  }

  /// Checks that the work can use the words of a rest parameter.
  private func checkRest(of parameters: [Parameter]?, in work: CommandWork) throws {
    guard let rest = parameters?.last, rest.isRest, work.isList,
      !work.steps.contains(where: \.takesWords)
    else { return }
    throw bad(
      "parameter '\(rest.name)' reaches no step: a list of words takes no arguments in 'steps'; "
        + "a line has them in \"$@\"")
  }

  private func make(
    _ description: ScriptCommand.Description, _ node: SignalNode,
    enabledAt index: Int, preconditionAt preconditionIndex: Int? = nil,
    _ signalBlock: @escaping @Sendable (LuaValue) throws -> Signal<LuaValue>
  ) throws -> ScriptCommand {
    let isNamed = description.name != nil
    if !isNamed, let position = description.position { host.registry.noteAnonymous(position) }
    let condition =
      try description.systems.refusal.map { .never($0, in: host) }
      ?? condition("enabled", at: index, node, isNamed: isNamed)
    var precondition: Precondition?
    if let preconditionIndex, call.stack.type(at: preconditionIndex) != .nil {
      precondition = Precondition(
        try self.condition("precondition", at: preconditionIndex, node, isNamed: isNamed)
          .named("its precondition"))
    }
    for condition in [condition, precondition?.condition] {
      condition?.environment = description.environment
      condition?.commandName = description.name
    }
    let policy = description.policy
    let ends = Unmanaged.passUnretained(host)
    let command = Command<LuaValue, LuaValue>(
      name: description.name, enabled: condition.truth, scheduler: host.scheduler,
      concurrencyLimit: policy.concurrency, whenBusy: policy.whenBusy,
      replayCapacity: policy.replay, options: policy.options,
      willEnd: { execution, end in
        ends._withUnsafeGuaranteedRef { $0.executionEnds(execution, end) }
      }, signalBlock: signalBlock)
    return ScriptCommand(
      description, command, node: node, host: host, condition: condition,
      precondition: precondition)
  }

  private func text(_ fields: TableFields, _ name: String) throws -> String? {
    try problems.part(nil) { try fields.text(name, problems) }
  }

  func bad(_ problem: String) -> any Error {
    problems.bad(problem)
  }
}

extension String {
  /// True if a command of this name is private unless it says otherwise: its last part begins with `_`.
  var isPrivateName: Bool {
    let colon = UInt8(ascii: ":")
    guard let end = utf8.lastIndex(where: { $0 != colon }) else { return false }
    let start = utf8[...end].lastIndex(of: colon).map(utf8.index(after:)) ?? startIndex
    return utf8[start...].first == UInt8(ascii: "_")
  }
}

/// The command of a userdata, which the signal block does not keep.
private struct WeakCommand {
  private weak var object: CommandObject?

  init(_ object: CommandObject) { self.object = object }

  var script: ScriptCommand? { object?.script }
}
