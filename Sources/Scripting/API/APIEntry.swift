import LuaRuntime

/// One parameter of a function of the Lua library.
struct APIParameter: Sendable {
  let name: String
  let type: APIType
  var isOptional = false
  /// True if it stands for any number of arguments.
  var isVariadic = false
  /// Returns the problem with a call whose argument has the wrong type, if it tells what was meant.
  var mistake: (@Sendable (APICall) -> String?)?

  static func required(
    _ name: String, _ type: APIType, mistake: (@Sendable (APICall) -> String?)? = nil
  ) -> APIParameter {
    APIParameter(name: name, type: type, mistake: mistake)
  }

  static func optional(_ name: String, _ type: APIType) -> APIParameter {
    APIParameter(name: name, type: type, isOptional: true)
  }

  static func variadic(_ name: String, _ type: APIType) -> APIParameter {
    APIParameter(name: name, type: type, isOptional: true, isVariadic: true)
  }
}

/// A function of the Lua library: its parameters, result and behaviour.
///
/// The bindings, the argument checks and the documentation all come from these entries.
struct APIFunction: Sendable {
  let name: String
  /// The capabilities it needs. There is no default, so that an interpreter with few capabilities
  /// refuses a new function until its author has chosen them.
  let needs: Capabilities
  let parameters: [APIParameter]
  let result: APIType?
  /// Other signatures, for editors.
  let overloads: [String]
  /// True if it suspends the calling coroutine.
  let waits: Bool
  let summary: String
  /// A piece of Lua that shows what it does, which a test executes. Lines that begin with `-->` give the
  /// printed output; several lines of output may share one, separated by commas. Nil only where a script
  /// does not name the function, or where a test cannot execute it.
  let example: String?
  let implementation: Implementation

  enum Implementation: Sendable {
    /// Called with checked arguments.
    case body(@Sendable (APICall) throws -> LuaOutcome)
    /// A method that sends its argument: called only if that does not reach all receivers inside Lua.
    case sender(@Sendable (APICall) throws -> LuaOutcome)
    /// Pushes a module function that is not written in Swift; it checks its arguments itself.
    case native(@Sendable (LuaStack) -> Void)
  }

  init(
    _ name: String, needs: Capabilities, _ parameters: [APIParameter],
    returns result: APIType? = nil, overloads: [String] = [], waits: Bool = false,
    _ summary: String, example: String? = nil, implementation: Implementation
  ) {
    self.name = name
    self.needs = needs
    self.parameters = parameters
    self.result = result
    self.overloads = overloads
    self.waits = waits
    self.summary = summary
    self.example = example
    self.implementation = implementation
  }

  init(
    _ name: String, needs: Capabilities, _ parameters: [APIParameter],
    returns result: APIType? = nil, overloads: [String] = [], waits: Bool = false,
    _ summary: String, example: String? = nil,
    body: @escaping @Sendable (APICall) throws -> LuaOutcome
  ) {
    self.init(
      name, needs: needs, parameters, returns: result, overloads: overloads, waits: waits, summary,
      example: example, implementation: .body(body))
  }

  /// A function without parameters.
  init(
    _ name: String, needs: Capabilities, returns result: APIType? = nil, waits: Bool = false,
    _ summary: String, example: String? = nil,
    body: @escaping @Sendable (APICall) throws -> LuaOutcome
  ) {
    self.init(
      name, needs: needs, [], returns: result, waits: waits, summary, example: example, body: body)
  }
}

extension APIFunction {
  var returnsSignal: Bool { result?.isSignal ?? false }
}

/// A field of an object, computed when it is read.
struct APIProperty: Sendable {
  let name: String
  /// The capabilities that reading it needs.
  let needs: Capabilities
  let type: APIType
  let summary: String
  let read: @Sendable (APICall) throws -> LuaOutcome
  let write: (@Sendable (APICall) throws -> LuaOutcome)?

  init(
    _ name: String, needs: Capabilities, _ type: APIType, _ summary: String,
    read: @escaping @Sendable (APICall) throws -> LuaOutcome,
    write: (@Sendable (APICall) throws -> LuaOutcome)? = nil
  ) {
    self.name = name
    self.needs = needs
    self.type = type
    self.summary = summary
    self.read = read
    self.write = write
  }
}

/// The members of one kind of object.
struct APIObject: Sendable {
  let kind: ObjectKind
  let summary: String
  var methods: [APIFunction] = []
  var properties: [APIProperty] = []
  var metamethods: [APIFunction] = []
  /// The forms in which the object itself is called, for editors.
  var overloads: [String] = []
}

/// A field of a module whose value is made when the library is opened.
struct APIField: Sendable {
  let name: String
  /// The capabilities that using its value needs; without them it is an empty table.
  let needs: Capabilities
  let type: APIType
  let summary: String
  let make: @Sendable (ScriptHost) -> LuaValue
  /// When the value is made.
  let moment: Moment

  enum Moment: Sendable {
    /// When the library is opened.
    case opening
    /// When it is first read.
    case firstRead
    /// Whenever it is read.
    case everyRead
  }

  init(
    _ name: String, needs: Capabilities, _ type: APIType, _ summary: String,
    moment: Moment = .opening,
    make: @escaping @Sendable (ScriptHost) -> LuaValue
  ) {
    self.name = name
    self.needs = needs
    self.type = type
    self.summary = summary
    self.moment = moment
    self.make = make
  }
}

/// A table of functions and fields: `rac` itself, or one inside it.
struct APIModule: Sendable {
  /// The name as scripts write it: `rac.json`.
  let path: String
  let summary: String
  var functions: [APIFunction] = []
  var fields: [APIField] = []

  /// The last part of the path.
  var name: String { path.split(separator: ".").last.map(String.init) ?? path }
}

/// A table that scripts pass or receive: its fields, for checks, stubs and documentation.
struct APIRecord: Sendable {
  /// A field of such a table.
  struct Field: Sendable {
    /// The name; `[integer]` for the list part.
    let name: String
    /// The capabilities needed when a script passes the field. Nil for a field that scripts only
    /// receive: if passed, it would be refused wherever anything is.
    let needs: Capabilities?
    /// The type in the Lua language server's notation; with a question mark if the field is
    /// optional.
    let type: String
    let summary: String

    init(_ name: String, needs: Capabilities? = nil, _ type: String, _ summary: String) {
      self.name = name
      self.needs = needs
      self.type = type
      self.summary = summary
    }
  }

  /// The name of its class for editors: `rac.ExecOptions`.
  let name: String
  let summary: String
  /// The class whose fields it inherits.
  let parent: String?
  let fields: [Field]
  /// The keys that such a table may have.
  let keys: Set<String>

  init(name: String, summary: String, parent: String? = nil, fields: [Field]) {
    self.name = name
    self.summary = summary
    self.parent = parent
    self.fields = fields
    keys = Set(fields.map(\.name).filter { !$0.hasPrefix("[") })
  }

  /// Returns the capabilities that passing a key needs.
  func needs(of key: String) -> Capabilities {
    fields.first { $0.name == key }?.needs ?? .all
  }
}

/// Functions grouped under one heading of the reference.
struct APIFamily: Sendable {
  let title: String
  let functions: [APIFunction]
}
