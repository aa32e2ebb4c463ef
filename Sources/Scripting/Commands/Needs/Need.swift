import LuaRuntime

/// A command that another one needs or executes as a step, by name, with its input.
struct Need: Sendable {
  /// How a definition uses another command.
  enum Use: Sendable {
    case needed, executed

    /// The verb of messages, between the names of both.
    var verb: String { self == .needed ? "needs" : "executes" }
  }

  var name: String
  /// The name as the definition has it.
  private(set) var written: String
  /// The values by name; the needed command's defaults fill the gaps.
  var input: [(name: String, value: LuaValue)] = []
}

/// The commands that another one needs.
struct NeedList: Sendable {
  var needs: [Need] = []
  /// True if each is executed once the one before it has completed.
  var isInOrder = false
}

/// What a command needs.
enum CommandNeeds: Sendable {
  case listed(NeedList)
  /// A function of the input returns it.
  case asked(Callback)
}

extension Need {
  /// Makes the name that of the program, for a definition in a file of a namespace.
  mutating func refer(in namespace: String) {
    name = SourceScope.referred(written, in: namespace)
  }

  /// Reads the table at the top of a stack: a command's name at `key`, and values by the names of
  /// parameters. Leaves the stack unchanged.
  ///
  /// - Parameters:
  ///   - key: the key of the name; nil for the first element of the table.
  ///   - what: the place of the value, as the subject of messages.
  ///   - bad: returns the error for a message.
  init(
    at key: String?, of table: TableFields, called what: String, _ bad: (String) -> any Error
  ) throws {
    guard table.stack.rawLength(at: table.index) <= (key == nil ? 1 : 0) else {
      throw bad("\(what) has one name, and parameters by their names")
    }
    try self.init(
      named: key.map { table[$0] } ?? table.elements(count: 1)[0], "", called: what, bad)
    input = table.names.filter { $0 != key }.sorted().map { ($0, table[$0]) }
  }

  /// The call as it could be typed, without the name of the program.
  func text(_ host: ScriptHost) -> String {
    input.reduce(name) { "\($0) \($1.name)=\(host.describe($1.value).quotedForShell)" }
  }
}

extension NeedList {
  /// Reads the needs at an index of a stack: nil, a name, or a list of names and of lists of a name
  /// and values by name. Leaves the stack unchanged.
  ///
  /// - Parameters:
  ///   - what: the place of the value, as the subject of messages.
  ///   - bad: returns the error for a message.
  init(
    at index: Int, on stack: LuaStack, called what: String, _ bad: (String) -> any Error
  ) throws {
    switch stack.type(at: index) {
    case .nil, .none: return
    case .string:
      needs = [try Need(named: stack.value(at: index), "", called: what, bad)]
      return
    case .table: break
    case let type:
      if let command = stack.object(at: index, Userdata.command) {
        throw bad("\(what) must be a name or a list of names, got a command" + command.nameToWrite)
      }
      throw bad("\(what) must be a name or a list of names, got \(type.name)")
    }
    let table = TableFields(stack, at: index)
    if let key = table.names.filter({ $0 != Self.orderKey }).min() {
      throw bad("\(what) has '\(key)' outside a need: {{\"name\", \(key) = …}} gives it to one")
    }
    isInOrder =
      try table.bool(Self.orderKey, called: "'\(Self.orderKey)' of \(what)", bad) ?? false
    needs = try (0..<stack.rawLength(at: table.index)).map { position in
      stack.rawGet(position + 1, at: table.index)
      defer { stack.pop() }
      let place = "[\(position + 1)]"
      guard stack.type(at: -1) == .table else {
        if let command = stack.object(at: -1, Userdata.command) {
          throw bad("\(what)\(place) must be a name, got a command" + command.nameToWrite)
        }
        return try Need(named: stack.value(at: -1), place, called: what, bad)
      }
      return try Need(
        at: nil, of: TableFields(stack, at: -1), called: "\(what)\(place)", bad)
    }
  }

  private static var orderKey: String { "in_order" }
}

extension CommandObject {
  /// The end of a message about a command in place of its name.
  fileprivate var nameToWrite: String {
    script?.description.name.map { "; write its name, \(LuaLiteral.text($0))" }
      ?? "; give it a name, and write that"
  }
}

extension Need {
  fileprivate init(
    named value: LuaValue, _ place: String, called what: String, _ bad: (String) -> any Error
  ) throws {
    guard let name = value.stringValue?.exactText, !name.isEmpty else {
      throw bad("\(what)\(place) must be a name, got \(value.type.name)")
    }
    self.init(name: name, written: name)
  }
}

extension ScriptHost {
  /// The commands that others may need: all, if the function of a command returns what it needs.
  public var neededCommands: Set<ObjectIdentifier> {
    if commands.contains(where: \.asksForNeeds) { return Set(commands.map(ObjectIdentifier.init)) }
    let needs = commands.lazy.flatMap(\.listedNeeds)
    return Set(needs.compactMap { self.command(named: $0.name).map(ObjectIdentifier.init) })
  }
}

extension ScriptCommand {
  /// True if it may need other commands.
  public var hasNeeds: Bool {
    if case .listed(let list) = description.needs { !list.needs.isEmpty } else { true }
  }

  /// True if its needs depend on the input, which its function is given.
  public var asksForNeeds: Bool {
    if case .asked = description.needs { true } else { false }
  }

  /// What it needs whatever the input is; nothing if a function returns its needs.
  var listedNeeds: [Need] {
    if case .listed(let list) = description.needs { list.needs } else { [] }
  }

  /// The names of the commands that it needs whatever the input is.
  public var listedNeedNames: [String] { listedNeeds.map(\.name) }

  /// The names of the commands that it needs whatever the input is, and of those that they need.
  package var namesOfAllNeeded: Set<String> {
    var names: Set<String> = []
    var left = [self]
    while let next = left.popLast() {
      for need in next.listedNeeds.lazy.compactMap({ self.host.command(named: $0.name) })
      where names.insert(need.name).inserted {
        left.append(need)
      }
    }
    return names
  }

  /// The calls that it needs whatever the input is, as they could be typed.
  public var listedNeedsText: [String] { listedNeeds.map { $0.text(host) } }

  /// True if what it needs whatever the input is is executed in order.
  public var needsInOrder: Bool {
    if case .listed(let list) = description.needs { list.isInOrder } else { false }
  }

  /// Returns what it needs with an input.
  ///
  /// - Throws: `Failure` of a function that fails, or returns something else.
  func needs(with input: LuaValue) throws(Failure) -> NeedList {
    switch description.needs {
    case .listed(let list): return list
    case .asked(let callback):
      let place = callback.place
      do {
        let purpose = try description.environment.purposeOfQuestions(of: name, for: host.caller)
        let result = try host.context.serving(purpose) { try callback.call(input) }
        let needs = host.interpreter.withStack { stack in
          stack.push(result)
          return Result {
            try NeedList(at: stack.top, on: stack, called: "the result of 'needs'") {
              var failure = Failure(.lua, $0)
              failure.position = place.text
              return failure
            }
          }
        }
        var list = try needs?.get() ?? NeedList()
        for index in list.needs.indices { list.needs[index].refer(in: description.namespace) }
        return list
      } catch {
        var failure = host.failure(of: error)
        failure.name(self)
        throw failure
      }
    }
  }

  /// Returns a need as a call of its command.
  ///
  /// - Throws: `Failure` for a name that is not defined, or an input that its command refuses.
  func call(for need: Need, as use: Need.Use) throws(Failure) -> Plan.Call {
    guard let command = host.command(named: need.name) else {
      throw failure(calling: need, as: use)
    }
    do { return Plan.Call(command, try command.input(with: need.input)) } catch {
      throw failure(calling: command, as: use, error)
    }
  }
}
