import Platform
import Scripting

/// What listings show of a service, and orders address it by: its input with secrets masked, and an id by
/// which it differs from services that look alike.
package struct ServiceFace: Hashable, Sendable {
  package let command: String
  /// The code of the input in hexadecimal digits; empty if it has no parameters.
  package let id: String
  /// The input as canonical JSON with secrets masked; nil if it has no parameters.
  package let input: String?

  package init(_ command: String, id: String, input: String?) {
    (self.command, self.id, self.input) = (command, id, input)
  }

  /// The service as `ps` shows it: its name, and its input if it has parameters.
  package var text: String { command + (input.map { " \($0)" } ?? "") }

  /// How many digits of the id are shown.
  private static let shownDigits = 8

  /// The shortest name of this service alone.
  package var name: String { id.isEmpty ? command : "\(command)@\(id.prefix(Self.shownDigits))" }

  /// The service as `ps` shows it among others: with its id if it looks like one of them.
  package func text(among others: [ServiceFace]) -> String {
    let isAlone = others.allSatisfy { $0.id == id || $0.text != text }
    return isAlone ? text : name + (input.map { " \($0)" } ?? "")
  }

  /// True if its input has the members of an object, with these values.
  func hasMembers(of object: String) -> Bool {
    guard let input, case .object(let own)? = JSONValue(text: input),
      case .object(let given)? = JSONValue(text: object)
    else { return false }
    return given.allSatisfy { name, value in
      own.contains { $0.0 == name && $0.1.text == value.text }
    }
  }
}
