import Scripting

extension MCPConversation {
  /// What is known of the client for a request.
  struct Client {
    let revision: MCPRevision
    /// True if it can put questions to a person.
    let canAsk: Bool
    /// True if it takes a task for a result.
    let takesTasks: Bool

    init(_ revision: MCPRevision, capabilities: JSONValue?) {
      self.revision = revision
      takesTasks = revision.tasks.areDeclared(in: capabilities)
      // An empty object means forms.
      guard case .object(let kinds)? = capabilities?[field: "elicitation"] else {
        canAsk = false
        return
      }
      canAsk = kinds.isEmpty || kinds.contains { $0.0 == "form" }
    }

    /// The client that a request names in its `_meta`; nil if it names none.
    init?(namedIn parameters: JSONValue?) throws(RPCError) {
      guard let meta = parameters?[field: "_meta"], let version = meta[field: MCPKey.version] else {
        return nil
      }
      guard let name = version.string else {
        throw .parameters("'\(MCPKey.version)' in params._meta must be a string")
      }
      guard let revision = MCPRevision.named(name), !revision.hasHandshake else {
        throw .version(name)
      }
      guard let capabilities = meta[field: MCPKey.capabilities], case .object = capabilities else {
        throw .parameters("params._meta lacks the object '\(MCPKey.capabilities)'")
      }
      self.init(revision, capabilities: capabilities)
    }
  }
}
