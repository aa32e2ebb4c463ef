extension Library {
  /// The examples by function: `rac.just`, `signal:map`, `subject:send_next`. Lines that begin with
  /// `-->` give the printed output; several lines of output may share one, separated by commas.
  static let examples: [String: String] = [
    constructionExamples, combinationExamples, includingExamples, systemExamples,
    transformingExamples,
    combiningExamples, limitingExamples, eventExamples, objectExamples,
  ].reduce(into: [:]) { all, some in all.merge(some) { first, _ in first } }
}
