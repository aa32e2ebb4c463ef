import RunnerCore

/// What `raclette doctor` found out about one thing.
struct Finding: Equatable {
  enum State: String {
    case ok
    /// Something works less well than it could.
    case warning
    /// Something does not work.
    case problem
  }

  let name: String
  var state = State.ok
  let text: String
  /// How to mend it; nil if there is nothing to mend.
  var remedy: String?

  static func ok(_ name: String, _ text: String) -> Finding { Finding(name: name, text: text) }

  static func warning(_ name: String, _ text: String, mend remedy: String?) -> Finding {
    Finding(name: name, state: .warning, text: text, remedy: remedy)
  }

  static func problem(_ name: String, _ text: String, mend remedy: String?) -> Finding {
    Finding(name: name, state: .problem, text: text, remedy: remedy)
  }
}

/// The findings about one part of the program's surroundings.
struct Examination {
  let topic: String
  let findings: [Finding]
}
