import LuaRuntime
import Platform

/// An amount of a resource: a number of things, each of which has an index, or a size in bytes.
package enum ResourceAmount: Sendable, Hashable {
  case count(Int64)
  case size(Int64)

  /// The number of things, or bytes.
  package var value: Int64 {
    switch self {
    case .count(let value), .size(let value): value
    }
  }

  package var isCount: Bool { if case .count = self { true } else { false } }

  /// An amount of the same kind.
  func with(_ value: Int64) -> ResourceAmount { isCount ? .count(value) : .size(value) }

  /// Reads `2`, or a size such as `6G`; nil for anything else.
  package init?(_ text: String) {
    if let count = Int64(text), count >= 1 {
      self = .count(count)
      return
    }
    guard let bytes = Int(size: text) else { return nil }
    self = .size(Int64(bytes))
  }

  init?(_ value: LuaValue) {
    switch value {
    case .integer(let count) where count >= 1: self = .count(count)
    case .string(let text): self.init(text.exactText)
    default: return nil
    }
  }

  /// The amount as a definition gives it.
  package var text: String {
    guard case .size(let bytes) = self else { return "\(value)" }
    for (shift, unit) in [(40, "T"), (30, "G"), (20, "M"), (10, "K")] where bytes >= 1 << shift {
      let whole = Double(bytes) / Double(1 << shift)
      let tenths = (whole * 10).rounded() / 10
      return tenths == tenths.rounded() ? "\(Int64(tenths))\(unit)" : "\(tenths)\(unit)"
    }
    return "\(bytes)B"
  }
}

/// Amounts of resources by name.
package typealias Resources = [String: ResourceAmount]

extension Resources {
  /// As in `gpu = 1, memory = 6G`.
  package var text: String {
    sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value.text)" }.joined(separator: ", ")
  }

  /// Reads a field that is a table of amounts by name.
  init(_ fields: TableFields, _ name: String, _ problems: DefinitionProblems) throws {
    self = try problems.part([:]) {
      switch fields.type(name) {
      case .nil: return [:]
      case .table: break
      default: throw problems.bad("field '\(name)' must be a table of amounts by resource")
      }
      fields.stack.rawGet(name, at: fields.index)
      defer { fields.stack.pop() }
      let table = TableFields(fields.stack, at: -1)
      var resources: Resources = [:]
      for resource in table.names {
        guard Self.isName(resource) else {
          throw problems.bad("field '\(name)' has the resource '\(resource)': \(Self.nameRule)")
        }
        guard let amount = ResourceAmount(table[resource]) else {
          throw problems.bad(
            "field '\(name).\(resource)' must be a number from 1 up, or a size such as \"6G\"")
        }
        resources[resource] = amount
      }
      return resources
    }
  }

  /// What a name has to be, as a sentence without its period.
  package static let nameRule =
    "a name has small letters, digits and '_', and its variable RACLETTE_NAME must have no other meaning"

  /// True for a name whose variable, `RACLETTE_NAME`, has no other meaning.
  package static func isName(_ name: String) -> Bool {
    let taken = [
      "agent", "attempt", "holder", "jobserver", "journal", "ledger", "slot", "token", "uses",
    ]
    guard let first = name.utf8.first, (97...122).contains(first), !taken.contains(name) else {
      return false
    }
    return name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
  }
}
