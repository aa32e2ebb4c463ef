/// The calls that the steps of commands execute themselves.
extension Plan {
  /// Returns the calls that commands execute as steps of their work, with what these
  /// need and execute in turn, so that mistakes and questions come before anything is executed.
  ///
  /// - Throws: `Failure`: of kind `dependency` for an undefined name or a cycle, of kind `input`
  ///   for an input that a command refuses.
  static func calls(executedBy outer: [Call]) throws(Failure) -> [Call] {
    let executing = outer.map(\.command).filter { !$0.stepCalls.isEmpty }
    guard let host = executing.first?.host else { return [] }
    if let circle = host.circles(from: executing).first { throw circle }
    var known = Set(outer.map(\.key))
    var calls: [Call] = []
    var due = outer[...]
    while let call = due.popFirst() {
      for need in call.command.stepCalls {
        let executed = try call.command.call(for: need, as: .executed)
        guard !known.contains(executed.key) else { continue }
        for step in try Plan(workOf: executed).steps where known.insert(step.call.key).inserted {
          calls.append(step.call)
          due.append(step.call)
        }
      }
    }
    return calls
  }
}
