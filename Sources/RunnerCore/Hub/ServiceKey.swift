import Digests
import LuaRuntime
import Scripting

/// The identity of a service of a hub: its command and its input, in whichever interpreter.
package struct ServiceKey: Hashable, Sendable {
  package let name: String
  /// The input as JSON; empty if there is none. It may hold secrets.
  package let input: String

  package init(_ command: ScriptCommand, _ input: LuaValue) {
    let json =
      input.isNil
      ? ""
      : (try? command.host.jsonValue(input))?.canonical.text
        ?? EventJSON.text(of: input, command.host)
    self.init(command.name, input: json)
  }

  package init(_ name: String, input: String) { (self.name, self.input) = (name, input) }

  private var hasParameters: Bool { !input.isEmpty && input != "{}" }

  /// The input as JSON with secrets masked; nil if it has no parameters.
  package var shownInput: String? { hasParameters ? Secrets.masked(json: input) : nil }

  /// The code of the input, which hides secrets and distinguishes inputs that differ only in these; empty
  /// if it has no parameters.
  package var id: String {
    hasParameters ? String(ServiceIDKey.code(of: input).hexadecimal.prefix(16)) : ""
  }

  package var face: ServiceFace { ServiceFace(name, id: id, input: shownInput) }

  /// The service as `ps` shows it: its name, and its input if it has parameters.
  package var text: String { face.text }
}
