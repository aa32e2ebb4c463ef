/// What promises resources to the pools of several processes, so that they are counted once. On the loop's
/// thread.
package protocol ResourceSource: AnyObject {
  /// Promises amounts once they are free.
  ///
  /// - Parameters:
  ///   - offers: what the pool that asks has.
  ///   - user: who wants them.
  ///   - rank: a higher rank precedes a lower one, whatever the order of the calls.
  ///   - granted: called once, in a later turn, with what was promised, and what gives it back.
  /// - Returns: what gives the wish up.
  func take(
    _ wanted: Resources, of offers: Resources, for user: String, rank: ResourcePool.Rank,
    _ granted:
      @escaping (_ stocks: [String: ResourcePool.Stock], _ release: @escaping () -> Void) ->
      Void
  ) -> () -> Void
}

extension ResourceAmount {
  /// A number for a count, and a text for bytes.
  package var json: JSONValue {
    switch self {
    case .count(let count): .integer(count)
    case .size(let bytes): .string("\(bytes)")
    }
  }

  /// Reads what `json` writes.
  package init?(json: JSONValue) {
    switch json {
    case .integer(let count): self = .count(count)
    case .string(let text):
      guard let bytes = Int64(text) else { return nil }
      self = .size(bytes)
    default: return nil
    }
  }
}

extension Resources {
  package var json: JSONValue {
    .object(sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })
  }

  /// Reads what `json` writes.
  package init(json: JSONValue) {
    self.init()
    guard case .object(let fields) = json else { return }
    for (name, value) in fields where Self.isName(name) { self[name] = ResourceAmount(json: value) }
  }

  /// The options that offer them, as in `--resource gpu=1 --resource memory=6G`.
  package var options: String {
    sorted { $0.key < $1.key }.map { "--resource \($0.key)=\($0.value.text)" }
      .joined(separator: " ")
  }

  /// In the form of the option, as in `gpu=1, memory=6G`.
  package var optionText: String {
    sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }.joined(separator: ", ")
  }
}

extension ResourcePool.Stock {
  package var json: JSONValue {
    .object([
      ("amount", amount.json), ("indices", .list(indices.map { .integer(Int64($0)) })),
      ("devices", .list(devices.map { .string($0) })),
    ])
  }

  /// Reads what `json` writes.
  package init?(json: JSONValue) {
    guard let amount = json["amount"].flatMap(ResourceAmount.init(json:)),
      case .list(let indices)? = json["indices"],
      case .list(let devices)? = json["devices"]
    else { return nil }
    self.init(
      amount, indices: indices.compactMap { $0.integer.map { Int($0) } },
      devices: devices.compactMap { $0.string })
  }
}
