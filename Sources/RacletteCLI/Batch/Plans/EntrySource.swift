import Journal

/// Where a batch gets its entries from: files here, and what else holds a queue in their place.
protocol EntrySource: Sendable {
  /// Asks for what comes next, when what was asked for before has been delivered.
  ///
  /// - Parameters:
  ///   - limit: how many entries may come at most.
  ///   - deliver: called once, on any thread, as soon as there is something.
  func next(_ limit: Int, _ deliver: @escaping @Sendable (EntryPage) -> Void)
}

/// What a source delivers.
struct EntryPage: Sendable {
  var entries: [PlannedEntry] = []
  /// What kept a plan from being read to its end.
  var problems: [String] = []
  /// Which part of everything has come so far, from 0 to 1, if that can be told.
  var fraction: Double?
  /// Whether nothing follows.
  var isLast = false
}

/// An entry as its plan has it.
struct PlannedEntry: Sendable {
  let entry: PlanEntry
  /// Why it cannot be executed, whatever the commands are.
  var problem: String?
}

extension PlanEntry {
  /// `plan.jsonl:3`.
  var place: String { "\(plan):\(line)" }

  /// ` [photo-17]`, if the plan names it; on one line, whatever the name.
  var nameSuffix: String {
    guard let name else { return "" }
    let text = name.unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control ? "\u{FFFD}" : String(scalar)
    }
    return " [\(text.joined())]"
  }
}
