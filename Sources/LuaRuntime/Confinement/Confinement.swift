import CLuaShims

/// A restriction on the scripts of an interpreter.
public struct Confinement: Sendable {
  /// The treatment of Lua's own functions that need more than is granted.
  public enum Refusal: Sendable {
    /// They are removed.
    case absent
    /// They raise an error that explains the refusal.
    case explained
  }

  /// The granted capabilities.
  public let granted: Capabilities
  /// The treatment of functions that need more.
  public let refusal: Refusal
  /// Explains, without a place, why a function is refused, from the missing capabilities and its
  /// name.
  public let explain: @Sendable (_ missing: Capabilities, _ name: String) -> String

  /// Makes a restriction. `granted` applies from then on to every script of the interpreter.
  public init(
    granted: Capabilities, refusal: Refusal,
    explain: @escaping @Sendable (_ missing: Capabilities, _ name: String) -> String
  ) {
    self.granted = granted
    self.refusal = refusal
    self.explain = explain
  }
}

/// A call that a confined interpreter has refused.
public struct Refused: Error, CustomStringConvertible {
  /// The explanation, without a place.
  public let description: String
}

extension LuaInterpreter {
  /// Confines all scripts from now on. Call it before the first one runs: a script that ran earlier
  /// keeps what it has read from Lua's library.
  ///
  /// Lua's own library is reduced to `StandardLibrary`: functions that need more than is granted
  /// are refused, and so is every function that is not listed.
  ///
  /// - Parameter hostGlobals: globals beside Lua's own that are kept.
  public func confine(to confinement: Confinement, hostGlobals: Set<String>) {
    guard let host = lifetime.confinedHost else { return }
    self.confinement = confinement
    rac_lua_confine(host, confinement.granted.rawValue) { owner, missing, name, text, size in
      guard let owner, let name, let text, size > 0 else { return }
      let interpreter = Unmanaged<LuaInterpreter>.fromOpaque(owner).takeUnretainedValue()
      let explanation = interpreter.refusal(
        of: Capabilities(rawValue: missing), String(cString: name))
      let bytes = explanation.utf8.prefix(size - 1)
      for (index, byte) in bytes.enumerated() { text[index] = CChar(bitPattern: byte) }
      text[bytes.count] = 0
    }
    StandardLibrary.confine(self, confinement, hostGlobals: hostGlobals)
  }

  /// Throws `Refused` unless scripts have the capabilities that a function needs: the single check
  /// for host functions.
  ///
  /// - Parameter name: the function as scripts write it, or a description of the key that
  ///   needs them.
  public func demand(_ needs: Capabilities, for name: String) throws(Refused) {
    guard let confinement, !needs.isSubset(of: confinement.granted) else { return }
    throw Refused(description: refusal(of: needs.subtracting(confinement.granted), name))
  }

  /// Returns true if scripts have some capabilities.
  public func allows(_ needs: Capabilities) -> Bool {
    confinement.map { needs.isSubset(of: $0.granted) } ?? true
  }

  /// Returns true if a message ends with the explanation of a refusal.
  public func isRefusal(_ message: String) -> Bool {
    explanations.contains { message.hasSuffix($0) }
  }

  private func refusal(of missing: Capabilities, _ name: String) -> String {
    let explanation = confinement?.explain(missing, name) ?? "'\(name)' is not available"
    refusals += 1
    if explanations.count < 1_000 { explanations.insert(explanation) }
    return explanation
  }
}
