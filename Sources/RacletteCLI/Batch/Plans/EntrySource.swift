import Journal

/// Provides the entries of a batch: files here; another implementation may read a queue.
protocol EntrySource: Sendable {
  /// Requests the next entries, after the previous request has been answered.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of entries.
  ///   - deliver: called once, on any thread, as soon as entries are available.
  func next(_ limit: Int, _ deliver: @escaping @Sendable (EntryPage) -> Void)
}

/// The entries that a source delivers.
struct EntryPage: Sendable {
  var entries: [PlannedEntry] = []
  /// The problems that prevented a plan from being read to its end.
  var problems: [String] = []
  /// The fraction of all entries delivered so far, from 0 to 1, if known.
  var fraction: Double?
  /// True if nothing follows.
  var isLast = false
}

/// An entry of a plan.
struct PlannedEntry: Sendable {
  let entry: PlanEntry
  /// The reason why it cannot be executed, whatever the commands are.
  var problem: String?
}

extension PlanEntry {
  /// `plan.jsonl:3`.
  var place: String { "\(plan):\(line)" }

  /// ` [photo-17]`, if the plan names it; always on one line.
  var nameSuffix: String {
    guard let name else { return "" }
    let text = name.unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control ? "\u{FFFD}" : String(scalar)
    }
    return " [\(text.joined())]"
  }
}
