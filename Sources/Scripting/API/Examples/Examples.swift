extension Library {
  /// An example for each function, by `rac.just`, `signal:map`, `subject:send_next`. Lines that begin
  /// with `-->` say what it prints; several lines of output may stand on one, after commas.
  static let examples: [String: String] = [
    constructionExamples, combinationExamples, systemExamples, transformingExamples,
    combiningExamples, limitingExamples, eventExamples, objectExamples,
  ].reduce(into: [:]) { all, some in all.merge(some) { first, _ in first } }
}
