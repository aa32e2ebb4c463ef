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
  }
}
