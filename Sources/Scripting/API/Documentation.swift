/// The library's documentation of one name.
public struct LibraryEntry: Sendable {
  /// The full name: `rac.merge`, `signal:map`, `command.enabled`.
  public let name: String
  /// The name with its parameters and result.
  public let signature: String
  /// The description.
  public let summary: String
  /// The kind of object that it is or returns, or the type's name.
  public let result: String?
  /// True if it is called, with a colon if it is a member of an object.
  public let isFunction: Bool
  /// An example, whose lines that begin with `-->` are its output.
  public var example: String?

  /// The last part of the name.
  public var shortName: String {
    String(name.split { $0 == "." || $0 == ":" }.last ?? "")
  }
}

extension Library {
  /// The members of `rac` and of the tables inside it.
  public static let moduleEntries: [LibraryEntry] = ([root] + modules).flatMap { module in
    module.functions.map { LibraryEntry($0, name: "\(module.path).\($0.name)") }
      + module.fields.map {
        LibraryEntry(
          name: "\(module.path).\($0.name)",
          signature: "\(module.path).\($0.name): \($0.type.name)",
          summary: $0.summary, result: $0.type.name, isFunction: false)
      }
  }

  /// Returns the members of a kind of object, including those of its parent kind; none for an
  /// unknown kind.
  public static func members(of kind: String) -> [LibraryEntry] {
    guard let kind = ObjectKind(rawValue: kind),
      let object = objects.first(where: { $0.kind == kind })
    else { return [] }
    let own =
      object.methods.map { LibraryEntry($0, name: "\(kind.rawValue):\($0.name)") }
      + object.properties.map { property in
        let name = "\(kind.rawValue).\(property.name)"
        return LibraryEntry(
          name: name, signature: "\(name): \(property.type.name)", summary: property.summary,
          result: property.type.name, isFunction: false)
      }
    return own + (kind.parent.map { members(of: $0.rawValue) } ?? [])
  }

  /// Returns all entries that match a name: a full name, or the last part of one.
  public static func entries(named name: String) -> [LibraryEntry] {
    let all =
      moduleEntries
      + ObjectKind.allCases.filter { $0.parent == nil || $0 != .group }
      .flatMap { members(of: $0.rawValue) }
    var seen: Set<String> = []
    return all.filter {
      ($0.name == name || $0.shortName == name) && seen.insert($0.name).inserted
    }
  }
}

extension LibraryEntry {
  fileprivate init(_ function: APIFunction, name: String) {
    let parameters = function.parameters.map { parameter in
      let name = parameter.isVariadic ? "..." : parameter.name
      return parameter.isOptional && !parameter.isVariadic ? "[\(name)]" : name
    }
    let result = function.result.map { ": \($0.name)" } ?? ""
    self.init(
      name: name, signature: "\(name)(\(parameters.joined(separator: ", ")))\(result)",
      summary: function.summary + (function.waits ? " Waits." : ""), result: function.result?.name,
      isFunction: true, example: function.example)
  }
}
