/// A reason why a command is not up to date.
public enum UpToDateChange: Sendable, Equatable {
  /// What a file is to the command.
  public enum Role: Sendable {
    case source, dependency, output
  }

  /// What has happened.
  public enum Event: String, Sendable {
    case added, changed, removed
  }

  /// It was never executed with this input.
  case never
  /// Nothing is kept of its last execution with this input; a sentence says why.
  case unkept(String)
  case file(String, Role, Event)
  /// A part of the definition: a key, a variable that a function uses, or a module.
  case definition(String, Event)
  /// What `fingerprint` returned before and returns now, as JSON.
  case fingerprint(String?, String?)
  /// A source that is named without wildcards does not exist.
  case missingSource(String)
  /// No file is a source.
  case noSources
  /// No file is a source, and the sources are the outputs of what the command needs.
  case noOutputsOfNeeds
  /// A part of the definition is nothing that can be compared; a sentence says which and why.
  case incomparable(String)
  /// The cache has its result; how long the execution took that made it.
  case restorable(Duration)
  /// The cache has no such result; the first difference from the latest that it has.
  indirect case uncached(UpToDateChange)
  /// The result of the next execution is not stored unless it makes an output that is there, and that no
  /// execution is known to have made.
  case leftover(String)
  /// Something cannot be read.
  case problem(String)
}

extension UpToDateChange: CustomStringConvertible {
  /// One readable line, without a full stop.
  public var description: String {
    switch self {
    case .never: "it was not executed with this input yet"
    case .unkept(let reason), .incomparable(let reason): reason
    case .file(let path, .source, .added): "the source '\(path)' is new"
    case .file(let path, .source, .changed): "the source '\(path)' has changed"
    case .file(let path, .source, .removed): "the source '\(path)' is gone"
    case .file(let path, .dependency, .removed): "'\(path)', which its depfile names, is gone"
    case .file(let path, .dependency, _): "'\(path)', which its depfile names, has changed"
    case .file(let path, .output, .added): "the output '\(path)' was not made by it"
    case .file(let path, .output, .changed): "the output '\(path)' has changed"
    case .file(let path, .output, .removed): "the output '\(path)' is gone"
    case .definition(let part, .changed): "its definition has changed: \(part)"
    case .definition(let part, .added): "its definition has changed: \(part) is new"
    case .definition(let part, .removed): "its definition has changed: \(part) is gone"
    case .fingerprint(let before, let now):
      "its fingerprint has changed from \(before ?? "nothing") to \(now ?? "nothing")"
    case .missingSource(let path): "the source '\(path)' does not exist"
    case .noSources: "no file matches its 'sources'"
    case .noOutputsOfNeeds: "the outputs of its needs do not exist yet"
    case .restorable(let time): "the cache has its result, which took \(time.shortText)"
    case .uncached(let change): "the cache has no such result; since the latest one \(change)"
    case .leftover(let path):
      "the output '\(path)' may be another command's or of an earlier state: the result is cached only if "
        + "the next execution makes it"
    case .problem(let text): text
    }
  }
}

extension UpToDateChange {
  /// True if an output that an earlier execution has made may not be one of the next execution.
  var makesOutputsStale: Bool {
    switch self {
    case .file(_, .source, .removed), .file(_, .dependency, .removed), .definition, .fingerprint:
      true
    default: false
    }
  }
}

extension [UpToDateChange] {
  /// The first, and how many others there are.
  public var firstOfAll: String {
    (first.map { "\($0)" } ?? "") + (count > 1 ? ", and \(count - 1) more" : "")
  }
}

/// The answer to the question whether a command would do anything.
public enum UpToDateVerdict: Sendable {
  /// The definition says nothing about it: the command is always executed.
  case undeclared
  case upToDate
  /// It would be executed, for these reasons.
  case outdated([UpToDateChange])
  /// Nothing of its own has changed, but what it needs is executed before, after which it is asked
  /// again; the reason names the need.
  case awaiting(String)
  /// Nothing of its own has changed, and it is not known whether the command with this name, which it
  /// needs, is up to date.
  case depending(String)
  /// The question cannot be answered.
  case unanswered(String)
}
