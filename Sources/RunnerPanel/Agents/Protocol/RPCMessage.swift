import Scripting

/// A message of JSON-RPC 2.0, as the Model Context Protocol uses it: one object, no batches.
enum RPCMessage {
  case request(RPCID, method: String, parameters: JSONValue?)
  case notification(method: String, parameters: JSONValue?)
  /// The answer to a request of ours, nil for one that names none: its result, nil for an error.
  case response(RPCID?, result: JSONValue?)

  /// - Throws: `RPCRejection` for what is no message.
  init(_ bytes: some Collection<UInt8>) throws(RPCRejection) {
    let value: JSONValue
    do { value = try Array(bytes).withUnsafeBytes { try JSONValue(parsing: $0) } } catch {
      throw RPCRejection(nil, .parse("\(error)"))
    }
    guard case .object = value else {
      throw RPCRejection(nil, .request("a message must be one object"))
    }
    let id = value[field: "id"].flatMap(RPCID.init)
    // An answer is never answered, whatever is wrong with it.
    if value[field: "method"] == nil,
      value[field: "result"] != nil || value[field: "error"] != nil
    {
      self = .response(id, result: value[field: "result"])
      return
    }
    let rejection = { (reason: String) in RPCRejection(id, .request(reason)) }
    guard value[field: "jsonrpc"]?.string == "2.0" else {
      throw rejection("field 'jsonrpc' must be \"2.0\"")
    }
    let parameters = value[field: "params"]
    guard let method = value[field: "method"] else { throw rejection("field 'method' is missing") }
    guard let method = method.string else { throw rejection("field 'method' must be a string") }
    guard value[field: "id"] != nil else {
      self = .notification(method: method, parameters: parameters)
      return
    }
    guard let id else { throw rejection("field 'id' must be a string or an integer") }
    if let parameters {
      guard case .object = parameters else {
        throw RPCRejection(id, .parameters("field 'params' must be an object"))
      }
    }
    self = .request(id, method: method, parameters: parameters)
  }
}

/// What identifies a request: a text or an integer.
enum RPCID: Hashable {
  case integer(Int64)
  case text(String)

  init?(_ value: JSONValue) {
    switch value {
    case .integer(let integer): self = .integer(integer)
    case .string(let text): self = .text(text)
    default: return nil
    }
  }

  var json: JSONValue {
    switch self {
    case .integer(let integer): .integer(integer)
    case .text(let text): .string(text)
    }
  }
}

/// The error of an answer.
struct RPCError: Error {
  let code: Int
  let message: String
  var data: JSONValue?

  static func parse(_ reason: String) -> RPCError {
    RPCError(code: -32700, message: "the message is not JSON: \(reason)")
  }
  static func request(_ reason: String) -> RPCError { RPCError(code: -32600, message: reason) }
  static func method(_ name: String) -> RPCError {
    RPCError(code: -32601, message: "unknown method '\(name)'")
  }
  static func parameters(_ reason: String) -> RPCError { RPCError(code: -32602, message: reason) }
  static func inside(_ reason: String) -> RPCError { RPCError(code: -32603, message: reason) }
  static func header(_ name: String) -> RPCError {
    RPCError(code: -32020, message: "the header '\(name)' is missing or differs from the body")
  }
  static func noTask(_ tool: String) -> RPCError {
    RPCError(code: -32601, message: "the tool '\(tool)' cannot be called as a task")
  }
  /// A request that is for clients with an extension.
  static func lacks(extension name: String) -> RPCError {
    RPCError(
      code: -32021, message: "the client has not declared the extension '\(name)'",
      data: .object([
        (
          "requiredCapabilities",
          .object([("extensions", .object([(name, .object([]))]))])
        )
      ]))
  }
  static func version(_ requested: String) -> RPCError {
    RPCError(
      code: -32022, message: "unsupported protocol version '\(requested)'",
      data: .object([
        ("supported", .list(MCPRevision.all.map { .string($0.name) })),
        ("requested", .string(requested)),
      ]))
  }

  /// The status of HTTP that goes with it.
  var status: UInt32 {
    switch code {
    case -32601: 404
    case -32603: 200
    default: 400
    }
  }

  var json: JSONValue {
    .object(
      [("code", .integer(Int64(code))), ("message", .string(message))]
        + (data.map { [("data", $0)] } ?? []))
  }
}

/// An error in a message, and what of it could be read: the id that the answer has.
struct RPCRejection: Error {
  let id: RPCID?
  let error: RPCError

  init(_ id: RPCID?, _ error: RPCError) {
    self.id = id
    self.error = error
  }
}

/// The messages that we send.
enum RPCText {
  static func result(_ id: RPCID, _ result: JSONValue) -> JSONValue {
    .object([("jsonrpc", .string("2.0")), ("id", id.json), ("result", result)])
  }

  static func error(_ id: RPCID, _ error: RPCError) -> JSONValue {
    .object([("jsonrpc", .string("2.0")), ("id", id.json), ("error", error.json)])
  }

  /// The answer to a message that is refused.
  ///
  /// - Parameter revision: that of the session; nil if it is not known.
  static func error(_ rejection: RPCRejection, to revision: MCPRevision?) -> JSONValue {
    if let id = rejection.id { return error(id, rejection.error) }
    // JSON-RPC has null here, which the schemas with a handshake do not allow.
    let id: [(String, JSONValue)] = revision?.hasHandshake == true ? [] : [("id", .null)]
    return .object([("jsonrpc", .string("2.0"))] + id + [("error", rejection.error.json)])
  }

  static func request(_ id: RPCID, _ method: String, _ parameters: JSONValue) -> JSONValue {
    .object([
      ("jsonrpc", .string("2.0")), ("id", id.json), ("method", .string(method)),
      ("params", parameters),
    ])
  }

  static func notification(_ method: String, _ parameters: JSONValue? = nil) -> JSONValue {
    .object(
      [("jsonrpc", .string("2.0")), ("method", .string(method))]
        + (parameters.map { [("params", $0)] } ?? []))
  }
}
