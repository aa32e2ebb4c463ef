import Platform
import Scripting

/// A name by which an order addresses services: `web` is all services of that command, `web {"port":80}`
/// the one with that input, or whose input has these members, and `web@3f2a9c01` the one with that id.
package struct ServiceName: Hashable, Sendable, CustomStringConvertible {
  private enum Selection: Hashable, Sendable {
    case all
    /// The input as canonical JSON, or a part of it. It may hold secrets, or their masks.
    case input(String)
    /// The beginning of the id.
    case id(String)
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
      self.init(command, .id(id), as: word)
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
    self.init(
      service.command, service.id.isEmpty ? .input("{}") : .id(service.id), as: service.text)
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

  /// True if it is meant to be the name of one service.
  package var isOfOne: Bool { selection != .all }

  /// The name as another process reads it.
  package var address: String {
    switch selection {
    case .all: command
    case .input(let json): "\(command) \(json)"
    case .id(let id): "\(command)@\(id)"
    }
  }

  /// Returns those services that it means: by its input the one that has it, otherwise those that are shown
  /// with it, otherwise those of whose input it is a part.
  package func meant<Service>(
    among services: [Service], _ face: (Service) -> ServiceFace
  ) -> [Service] {
    let own = services.filter { face($0).command == command }
    switch selection {
    case .all: return own
    case .id(let id): return own.filter { face($0).id.hasPrefix(id) }
    case .input(let json):
      let key = ServiceKey(command, input: json)
      let same = own.filter { face($0).id == key.id }
      if !same.isEmpty { return same }
      guard let shown = key.shownInput else { return [] }
      let alike = own.filter { face($0).input == shown }
      return alike.isEmpty ? own.filter { face($0).hasMembers(of: shown) } : alike
    }
  }

  /// True if it means a service, whatever others there are.
  package func covers(_ service: ServiceFace) -> Bool {
    !meant(among: [service], \.self).isEmpty
  }

  /// True if it means a service, whatever others there are.
  package func covers(_ key: ServiceKey) -> Bool { covers(key.face) }

  /// Why it does not mean one service, as a sentence; nil if it is the name of one, or of all.
  ///
  /// - Parameter services: those that it means.
  package func problem(meaning services: [ServiceFace]) -> String? {
    guard isOfOne, services.count > 1 else { return nil }
    let names = services.map(\.name).sorted()
    return "'\(self)' means several services, which 'raclette ps' shows: "
      + names.joined(separator: ", ")
  }
}

extension Set<ServiceName>? {
  /// True if one of the names addresses a service; nil addresses all.
  package func covers(_ key: ServiceKey) -> Bool {
    self?.contains { $0.covers(key) } ?? true
  }
}
