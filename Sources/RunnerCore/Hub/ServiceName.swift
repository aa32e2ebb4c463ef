import Platform
import Scripting

/// A name by which an order addresses services: `web` is all services of that command, `web {"port":80}`
/// the one with that input, or whose input has these members, and `web@3f2a9c01` the one with that id.
package struct ServiceName: Hashable, Sendable, CustomStringConvertible {
  private enum Selection: Hashable, Sendable {
    case all
    /// The input as canonical JSON, or a part of it. It may hold secrets, or their masks.
    case input(String)
    /// The beginning of the id. It may be the end of a command's name instead, with an input or a part
    /// of it behind that.
    case id(String, input: String?)
    /// The whole id; empty for the service without parameters.
    case one(String)
  }

  package let command: String
  private let selection: Selection
  /// The name as messages have it.
  package let description: String

  private init(_ command: String, _ selection: Selection, as description: String) {
    (self.command, self.selection, self.description) = (command, selection, description)
  }

  /// Reads a name as it is typed, or as `ps` shows it.
  package init(_ text: String) {
    let space = text.firstRange(of: " {")?.lowerBound
    let input = space.flatMap { JSONValue(text: String(text[$0...])) }
    let end = input == nil ? text.endIndex : space ?? text.endIndex
    let word = String(text[..<end])
    if let (command, id) = Self.parts(word) {
      self.init(command, .id(id, input: input?.canonical.text), as: word)
    } else {
      self.init(word, input: input)
    }
  }

  /// - Parameter input: nil for any.
  package init(_ command: String, input: JSONValue?) {
    guard let input = input?.canonical.text else {
      self.init(command, .all, as: command)
      return
    }
    let shown = ServiceKey(command, input: input).text
    self.init(command, .input(input), as: shown)
  }

  /// The name of exactly one service.
  package init(_ service: ServiceFace) {
    self.init(service.command, .one(service.id), as: service.text)
  }

  /// The name of exactly one service.
  package init(_ key: ServiceKey) { self.init(key.face) }

  /// Divides `web@3f2a9c01`; nil for something else.
  private static func parts(_ word: String) -> (command: String, id: String)? {
    guard let parts = word.cut(atLast: "@"), (8...16).contains(parts.after.utf8.count),
      parts.after.allSatisfy({ $0.isHexDigit && !$0.isUppercase }), !parts.before.isEmpty
    else { return nil }
    return (String(parts.before), String(parts.after))
  }

  /// The name with what looks like an id as a part of the command's name; nil if there is none.
  private var whole: ServiceName? {
    guard case .id(let id, let input) = selection else { return nil }
    return ServiceName("\(command)@\(id)", input.map { .input($0) } ?? .all, as: description)
  }

  /// The names of the commands whose services it can mean, the most exact one first.
  package var commands: [String] { (whole.map { [$0.command] } ?? []) + [command] }

  /// The name as another process reads it.
  package var address: String {
    switch selection {
    case .all: command
    case .input(let json): "\(command) \(json)"
    case .id(let id, let input): "\(command)@\(id)" + (input.map { " \($0)" } ?? "")
    case .one(let id): id.isEmpty ? "\(command) {}" : "\(command)@\(id)"
    }
  }

  /// Returns those services that it means: those of a command of that whole name; otherwise by its input
  /// the one that has it, otherwise those that are shown with it, otherwise those of whose input it is a
  /// part.
  package func meant<Service>(
    among services: [Service], _ face: (Service) -> ServiceFace
  ) -> [Service] {
    let own = services.filter { face($0).command == command }
    switch selection {
    case .all: return own
    case .one(let id): return own.filter { face($0).id == id }
    case .id(let id, _):
      let exact = whole?.meant(among: services, face) ?? []
      return exact.isEmpty ? own.filter { face($0).id.hasPrefix(id) } : exact
    case .input(let json):
      let key = ServiceKey(command, input: json)
      let same = own.filter { face($0).id == key.id }
      if !same.isEmpty { return same }
      guard let shown = key.shownInput else { return [] }
      let alike = own.filter { face($0).input == shown }
      return alike.isEmpty ? own.filter { face($0).hasMembers(of: shown) } : alike
    }
  }

  /// The name of exactly those services that it means; itself if it means none.
  ///
  /// - Parameter services: those that it means.
  package func exact(meaning services: [ServiceFace]) -> ServiceName {
    guard selection != .all, let first = services.first else { return self }
    return services.count == 1 ? ServiceName(first) : ServiceName(first.command, input: nil)
  }

  /// True if it is the exact name of a service, or of all services of its command. What a part of an input
  /// or of an id means depends on the other services: `meant` finds it.
  package func covers(_ key: ServiceKey) -> Bool {
    guard key.name == command else { return false }
    return switch selection {
    case .all: true
    case .one(let id): key.id == id
    case .input, .id: false
    }
  }

  /// Why it does not mean one service, as a sentence; nil if it is the name of one, or of all.
  ///
  /// - Parameter services: those that it means.
  package func problem(meaning services: [ServiceFace]) -> String? {
    guard services.count > 1, !isOfAll(services) else { return nil }
    let names = services.map(\.name).sorted()
    return "'\(self)' matches several services, which 'raclette ps' shows: "
      + names.joined(separator: ", ")
  }

  /// True if it is the name of the command of the services that it means.
  private func isOfAll(_ services: [ServiceFace]) -> Bool {
    guard let whole else { return selection == .all }
    return whole.selection == .all && services.allSatisfy { $0.command == whole.command }
  }
}

extension Set<ServiceName>? {
  /// True if one of the names addresses a service; nil addresses all.
  package func covers(_ key: ServiceKey) -> Bool {
    self?.contains { $0.covers(key) } ?? true
  }
}
