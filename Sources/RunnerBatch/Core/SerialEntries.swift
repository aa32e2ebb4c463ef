import Scripting

/// Finds the commands whose entries wait for each other, because their definitions say nothing about
/// concurrency, in a batch that was given several jobs.
struct SerialEntries {
  private let jobs: Int
  /// The commands with one entry.
  private var first: Set<ObjectIdentifier> = []
  private var reported: Set<ObjectIdentifier> = []

  /// - Parameter jobs: the number of jobs that the user has asked for; nil if that is the default.
  init(jobs: Int?) { self.jobs = jobs ?? 1 }

  /// Counts an entry of a command.
  ///
  /// - Returns: a note for the user at the second entry; nil otherwise.
  mutating func add(_ command: ScriptCommand) -> String? {
    guard jobs > 1, command.hasDefaultConcurrency else { return nil }
    let id = ObjectIdentifier(command)
    guard !first.insert(id).inserted, reported.insert(id).inserted else { return nil }
    return
      "the entries of '\(command.name)' are executed one at a time; concurrency = \"unlimited\" in "
      + "its definition lets them use all \(jobs) jobs"
  }
}
