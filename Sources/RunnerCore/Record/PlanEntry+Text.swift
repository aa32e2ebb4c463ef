import Journal

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
