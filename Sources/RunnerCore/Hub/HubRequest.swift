import LuaRuntime
import Platform
import Scripting

/// A request to a hub.
package struct HubRequest: Sendable {
  package var method: String
  /// The path below that of the protocol, with its query.
  package var path: String
  package var body: JSONValue?
  /// What has asked this process for it, as `Requester` names it; nil for the user of this process.
  package var requester: String?
  /// What the hub learns of the variables of this process.
  private let caller: Caller
  /// The services whose starts or ends the answer waits for, empty for all; nil for what is answered at
  /// once.
  private(set) var services: [ServiceName]?
  /// What this process knows a service to be defined as; nil if that does not matter, or is not known.
  private var definition: String?

  /// The field of a request's head with a name, and the digest of its definition in the client.
  package static let definitionField = "X-Raclette-Definition"

  /// The variables of this process as a request has them.
  package enum Caller: Sendable {
    /// The request starts nothing, and has none.
    case none
    /// This process has loaded the command file, and knows what that changes.
    case loaded(CallerEnvironment)
    /// It has not: the hub knows that.
    case unloaded
  }

  /// - Parameter caller: what begins with the variables of this process.
  package init(
    _ method: String, _ path: String, _ body: JSONValue? = nil, from caller: Caller = .none
  ) {
    self.method = method
    self.path = path
    self.body = body
    self.caller = caller
  }

  /// Does something with a service.
  ///
  /// - Parameters:
  ///   - action: as in `HubRoute.ServiceAction`.
  ///   - fields: what the document says beside the input.
  package static func service(
    _ action: String, of command: ScriptCommand, _ input: LuaValue,
    _ fields: [(String, JSONValue)] = [], from caller: Caller
  ) -> HubRequest {
    let name = PercentEncoding.encoded(command.name)
    let json = input.isNil ? nil : try? command.host.jsonValue(input)
    var request = HubRequest(
      "POST", "services/\(name)/\(action)", .object((json.map { [("input", $0)] } ?? []) + fields),
      from: caller)
    if case .loaded = caller {
      request.definition = command.definitionDigest.map { "\(name) \($0)" }
    }
    return request
  }

  /// Starts a service again, which is answered once it is ready or cannot be.
  package static func restart(_ name: ServiceName, from caller: Caller) -> HubRequest {
    var request = HubRequest(
      "POST", "services/\(PercentEncoding.encoded(name.command))/restart",
      .object([("name", .string(name.address))]), from: caller)
    request.services = [name]
    return request
  }

  /// Ends services, which is answered once nothing of them is left.
  ///
  /// - Parameter names: those of the services; empty for all.
  package static func end(_ names: [ServiceName]) -> HubRequest {
    var request = HubRequest("DELETE", "services" + query(names, []))
    request.services = names
    return request
  }

  /// Kills services that are being ended, and those that these need, which is answered once nothing of
  /// them is left.
  ///
  /// - Parameters:
  ///   - names: those of the services; empty for all.
  ///   - unlessUsed: true to spare those that somebody uses.
  package static func kill(_ names: [ServiceName], unlessUsed: Bool) -> HubRequest {
    var request = HubRequest(
      "DELETE", "services" + query(names, ["now=1"] + (unlessUsed ? ["unused=1"] : [])))
    request.services = names
    return request
  }

  private static func query(_ names: [ServiceName], _ more: [String]) -> String {
    let arguments = names.map { "name=\(PercentEncoding.encoded($0.address))" } + more
    return (arguments.isEmpty ? "" : "?") + arguments.joined(separator: "&")
  }

  private var environment: [UInt8]? {
    switch caller {
    case .none: nil
    case .loaded(let caller): HubEnvironment(of: caller, hasLoaded: true).bytes
    case .unloaded: HubEnvironment(of: .own, hasLoaded: false).bytes
    }
  }

  /// The field of a request's head that has the requester.
  package static let requesterField = "X-Raclette-Requester"

  var bytes: [UInt8] {
    var head = """
      \(method) \(HubProtocol.path)/\(path) HTTP/1.0\r
      X-Raclette-Version: \(ScriptHost.version)\r
      X-Raclette-Process: \(getpid())\r

      """
    if let requester { head += "\(Self.requesterField): \(requester)\r\n" }
    if let definition { head += "\(Self.definitionField): \(definition)\r\n" }
    var content: [UInt8] = []
    if method == "POST" || method == "PUT" {
      content = Array((body?.text ?? "{}").utf8)
      if let environment {
        content += environment
        head += "\(HubEnvironment.field): \(environment.count)\r\n"
      }
      head += "Content-Type: application/json\r\nContent-Length: \(content.count)\r\n"
    }
    return Array("\(head)\r\n".utf8) + content
  }
}
