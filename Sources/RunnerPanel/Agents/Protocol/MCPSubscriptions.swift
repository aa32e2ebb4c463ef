import Scripting

/// The requests of a client that wait for changes of the list of tools.
struct MCPSubscriptions {
  /// The method of the notification.
  static let listHasChanged = "notifications/tools/list_changed"

  private var ids: [RPCID] = []

  func contains(_ id: RPCID) -> Bool { ids.contains(id) }

  /// The notifications of a change, one for each request.
  var listHasChanged: [JSONValue] {
    ids.map { RPCText.notification(Self.listHasChanged, .object([("_meta", Self.meta(of: $0))])) }
  }

  /// Begins what a request subscribes to.
  ///
  /// - Returns: its acknowledgement.
  mutating func begin(
    _ id: RPCID, _ parameters: JSONValue?, _ client: MCPConversation.Client
  ) throws(RPCError) -> JSONValue {
    guard let wanted = parameters?[field: "notifications"], case .object = wanted else {
      throw .parameters("field 'notifications' must be an object")
    }
    // Tasks send nothing of themselves; the acknowledgement names none.
    if wanted[field: "taskIds"] != nil, !client.takesTasks {
      throw .lacks(extension: MCPKey.tasks)
    }
    let isWanted = wanted[field: "toolsListChanged"]?.bool == true
    if isWanted { ids.append(id) }
    return RPCText.notification(
      "notifications/subscriptions/acknowledged",
      .object([
        ("notifications", .object(isWanted ? [("toolsListChanged", .bool(true))] : [])),
        ("_meta", Self.meta(of: id)),
      ]))
  }

  mutating func end(_ id: RPCID) { ids.removeAll { $0 == id } }

  private static func meta(of id: RPCID) -> JSONValue {
    .object([(MCPKey.subscription, id.json)])
  }
}
