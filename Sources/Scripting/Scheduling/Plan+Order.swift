/// The order of steps that do not need each other. It is one more kind of edge between the steps of
/// a plan, and never a cycle: what has to come before an earlier step anyway stays there.
extension Plan {
  /// Puts steps one after the other, each with everything that it needs.
  ///
  /// - Parameter edges: the kind of the order.
  mutating func order(_ chain: [Int], _ edges: WritableKeyPath<Step, [Int]>) {
    guard var last = chain.first else { return }
    for step in chain.dropFirst() {
      let earlier = Set(postorder([last], besides: []))
      if earlier.contains(step) { continue }
      // Those that come after `last`, directly or indirectly.
      var later: Set = [last]
      for index in postorder([step], besides: earlier) {
        if !steps[index].predecessors.contains(where: later.contains) {
          steps[index][keyPath: edges].append(last)
        }
        later.insert(index)
      }
      last = step
    }
  }

  /// Gives the steps indexes in which each comes after its predecessors, which an order of steps
  /// that were planned the other way round has not kept.
  mutating func sort() {
    let isSorted = steps.indices.allSatisfy { index in
      steps[index].after.allSatisfy { $0 < index } && steps[index].follows.allSatisfy { $0 < index }
    }
    if !isSorted {
      let order = postorder(Array(steps.indices), besides: [])
      var places = [Int](repeating: 0, count: steps.count)
      for (place, index) in order.enumerated() { places[index] = place }
      steps = order.map { index in
        var step = steps[index]
        step.needs = step.needs.map { places[$0] }
        step.after = step.after.map { places[$0] }
        step.follows = step.follows.map { places[$0] }
        return step
      }
    }
    for index in steps.indices {
      steps[index].isLater =
        !steps[index].follows.isEmpty
        || steps[index].predecessors.contains { steps[$0].isLater }
    }
  }

  /// Returns steps and all their predecessors, each behind its own, without recursion, so that a
  /// chain may have any length.
  ///
  /// - Parameter known: the steps that are left out.
  private func postorder(_ roots: [Int], besides known: Set<Int>) -> [Int] {
    var known = known
    var order: [Int] = []
    for root in roots where known.insert(root).inserted {
      var path = [(step: root, rest: steps[root].predecessors[...])]
      while let last = path.indices.last {
        guard let next = path[last].rest.popFirst() else {
          order.append(path.removeLast().step)
          continue
        }
        if known.insert(next).inserted { path.append((next, steps[next].predecessors[...])) }
      }
    }
    return order
  }
}
