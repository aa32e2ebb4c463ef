import LuaRuntime

/// What a command asks before anything is executed for it.
enum CommandQuestion: Sendable {
  case text(String)
  /// What its function returns for the input.
  case asked
}

extension ScriptCommand {
  /// True if it may ask something before anything is executed for it.
  public var mayAsk: Bool { description.confirmation != nil }

  /// What it asks, in words: the question, or that it depends on the input; nil if it asks nothing.
  public var questionText: String? {
    switch description.confirmation {
    case nil: nil
    case .text(let text)?: text
    case .asked?: "what its function returns for the input"
    }
  }

  /// The question that it asks whatever the input is.
  public var fixedQuestion: String? {
    if case .text(let text)? = description.confirmation { text } else { nil }
  }
}

extension Plan.Call {
  /// Returns the question of the call's command; nil if it asks nothing for this input.
  ///
  /// - Throws: `Failure` of a function that fails, or returns something else than a text.
  public func question() throws(Failure) -> String? {
    switch command.description.confirmation {
    case nil: return nil
    case .text(let text)?: return text
    case .asked?: break
    }
    let host = command.host
    let function = command.function(at: CommandDefinition.Slot.positionOfQuestion)
    do {
      var place = try command.place(with: input, for: host.caller)
      (place.isInteractive, place.hasTerminal) = (false, false)
      let purpose = Purpose(surroundings: Surroundings(place))
      let result = try host.context.serving(purpose) {
        try host.interpreter.call(function, [input], results: 1).first ?? .nil
      }
      if !result.isTruthy { return nil }
      if case .string(let text) = result, !text.isEmpty { return text.exactText }
      throw SourceLocation(text: host.placeOfFunction(function)).failure(
        "'confirm' must return a text, nil or false, got \(result.type.name)")
    } catch {
      var failure = host.failure(of: error)
      failure.name(command)
      throw failure
    }
  }
}
