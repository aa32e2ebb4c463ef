import LuaRuntime
import Platform

/// The operating systems that a command names as its own.
enum OperatingSystem: String, CaseIterable, Sendable {
  case linux, macos, freebsd, openbsd, netbsd, windows

  /// The one that the program was built for.
  static var current: OperatingSystem? {
    #if os(Linux)
      .linux
    #elseif os(macOS)
      .macos
    #elseif os(FreeBSD)
      .freebsd
    #elseif os(OpenBSD)
      .openbsd
    #else
      nil
    #endif
  }

  /// The names that other programs have for them.
  private static let otherNames: [String: OperatingSystem] = [
    "darwin": .macos, "osx": .macos, "mac": .macos, "win": .windows, "win32": .windows,
  ]

  /// Reads the field `os` of a definition: a name or a list of names; nil if it is absent.
  static func list(
    _ fields: TableFields, _ problems: DefinitionProblems
  ) throws -> [OperatingSystem]? {
    if fields.type("os") == .nil { return nil }
    let names =
      try fields.type("os") == .string
      ? [fields.text("os", problems)].compactMap(\.self) : fields.texts("os", problems)
    guard !names.isEmpty else { throw problems.bad("field 'os' must not be empty") }
    return try names.map { name in
      if let system = OperatingSystem(rawValue: name) { return system }
      let known = allCases.map(\.rawValue)
      let hint = didYouMean(
        otherNames[name.lowercased()]?.rawValue ?? nearestName(to: name, among: known),
        otherwise: "the systems are \(known.joined(separator: ", "))")
      throw problems.bad("field 'os' has no system '\(name)'" + hint)
    }
  }
}

extension ScriptCommand {
  /// True if it is a command of this operating system.
  var fitsSystem: Bool { description.systems.fit }
}

extension [OperatingSystem]? {
  /// True if the current system is among them, or none is named.
  var fit: Bool {
    guard let self else { return true }
    return OperatingSystem.current.map(self.contains) ?? false
  }

  /// The reason why a command of these systems is not enabled here; nil if it is of this one.
  var refusal: String? {
    fit ? nil : self.map { "it is for \($0.map(\.rawValue).joined(separator: ", "))" }
  }
}
