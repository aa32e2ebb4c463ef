import Scripting

/// A name by which an order addresses services: `web` is all services of that command, `web {"port":80}`,
/// as `ps` shows it, the one with that input.
package struct ServiceName: Hashable, Sendable, CustomStringConvertible {
  package let command: String
  /// The input as canonical JSON with secrets masked, empty if it has no parameters; nil for any.
  private let input: String?

  /// Reads a name as it is typed.
  package init(_ text: String) {
    let space = text.firstRange(of: " {")?.lowerBound
    let input = space.flatMap { JSONValue(text: String(text[$0...])) }
    let end = input == nil ? nil : space
    self.init(String(text[..<(end ?? text.endIndex)]), input: input)
  }

  /// - Parameter input: nil for any.
  package init(_ command: String, input: JSONValue?) {
    self.command = command
    self.input = input.map { input in
      let text = input.canonical.text
      return ServiceKey(command, input: text).shownInput ?? ""
    }
  }

  /// The name of exactly one service.
  package init(_ key: ServiceKey) { (command, input) = (key.name, key.shownInput ?? "") }

  /// True if it addresses a service.
  package func covers(_ key: ServiceKey) -> Bool {
    command == key.name && (input == nil || input == key.shownInput ?? "")
  }

  /// True if it addresses the services that another name does.
  package func covers(_ name: ServiceName) -> Bool {
    command == name.command && (input == nil || input == name.input)
  }

  /// The input that it names; nil for any.
  var json: JSONValue? { input.map { .raw($0.isEmpty ? "{}" : $0) } }

  /// The name as it is typed.
  package var description: String {
    command + (input.map { " \($0.isEmpty ? "{}" : $0)" } ?? "")
  }
}

extension Set<ServiceName>? {
  /// True if one of the names addresses a service; nil addresses all.
  package func covers(_ key: ServiceKey) -> Bool {
    self?.contains { $0.covers(key) } ?? true
  }
}
