import LuaRuntime

/// A command that another one needs, by name, with its input.
struct Need: Sendable {
  var name: String
  /// The name as the definition has it.
  private(set) var written: String
  /// The values by name; the needed command's defaults fill the gaps.
  var input: [(name: String, value: LuaValue)] = []
}

/// What a command needs.
enum CommandNeeds: Sendable {
  case listed([Need])
  /// A function of the input returns it.
  case asked(Callback)
}

extension Need {
  /// Makes the name that of the program, for a definition in a file of a namespace.
  mutating func refer(in namespace: String) {
    name = SourceScope.referred(written, in: namespace)
  }

  /// Reads the needs at an index of a stack: nil, a name, or a list of names and of lists of a name
  /// and values by name. Leaves the stack unchanged.
  ///
  /// - Parameters:
  ///   - what: the place of the value, as the subject of messages.
  ///   - bad: returns the error for a message.
  static func list(
    at index: Int, on stack: LuaStack, called what: String, _ bad: (String) -> any Error
  ) throws -> [Need] {
    switch stack.type(at: index) {
    case .nil, .none: return []
    case .string: return [try Need(named: stack.value(at: index), "", called: what, bad)]
    case .table: break
    case let type:
      throw bad("\(what) must be a name or a list of names, got \(type.name)")
    }
    let table = TableFields(stack, at: index)
    if let key = table.names.min() {
      throw bad("\(what) has '\(key)' outside a need: {{\"name\", \(key) = …}} gives it to one")
    }
    return try (0..<stack.rawLength(at: table.index)).map { position in
      stack.rawGet(position + 1, at: table.index)
      defer { stack.pop() }
      let place = "[\(position + 1)]"
      guard stack.type(at: -1) == .table else {
        return try Need(named: stack.value(at: -1), place, called: what, bad)
      }
      let fields = TableFields(stack, at: -1)
      guard stack.rawLength(at: fields.index) <= 1 else {
        throw bad("\(what)\(place) has one name, and parameters by their names")
      }
      var need = try Need(
        named: fields.elements(count: 1)[0], place, called: what, bad)
      need.input = fields.names.sorted().map { ($0, fields[$0]) }
      return need
    }
  }

  private init(
    named value: LuaValue, _ place: String, called what: String, _ bad: (String) -> any Error
  ) throws {
    guard let name = value.stringValue?.exactText, !name.isEmpty else {
      throw bad("\(what)\(place) must be a name, got \(value.type.name)")
    }
    self.init(name: name, written: name)
  }
}

extension ScriptCommand {
  /// True if it may need other commands.
  public var hasNeeds: Bool {
    if case .listed(let needs) = description.needs { !needs.isEmpty } else { true }
  }

  /// True if its needs depend on the input, which its function is given.
  public var asksForNeeds: Bool {
    if case .asked = description.needs { true } else { false }
  }

  /// What it needs whatever the input is; nothing if a function returns its needs.
  var listedNeeds: [Need] {
    if case .listed(let needs) = description.needs { needs } else { [] }
  }

  /// The calls that it needs whatever the input is, as they could be typed.
  public var listedNeedsText: [String] {
    listedNeeds.map { need in
      need.input.reduce(need.name) { "\($0) \($1.name)=\(host.describe($1.value).quotedForShell)" }
    }
  }

  /// Returns what it needs with an input.
  ///
  /// - Throws: `Failure` of a function that fails, or returns something else.
  func needs(with input: LuaValue) throws(Failure) -> [Need] {
    switch description.needs {
    case .listed(let needs): return needs
    case .asked(let callback):
      let place = callback.place
      do {
        let result = try callback.call(input)
        let needs = host.interpreter.withStack { stack in
          stack.push(result)
          return Result {
            try Need.list(at: stack.top, on: stack, called: "the result of 'needs'") {
              var failure = Failure(.lua, $0)
              failure.position = place.text
              return failure
            }
          }
        }
        return try (needs?.get() ?? []).map { need in
          var need = need
          need.refer(in: description.namespace)
          return need
        }
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
  func call(for need: Need) throws(Failure) -> Plan.Call {
    guard let command = host.command(named: need.name) else { throw failure(needing: need) }
    do { return Plan.Call(command, try command.input(with: need.input)) } catch {
      throw failure(needing: command, error)
    }
  }
}
