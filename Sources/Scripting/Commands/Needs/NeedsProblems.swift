extension ScriptHost {
  /// Returns each problem with the needs of the commands once: undefined names, inputs
  /// that the needed commands refuse, and cycles. What a function returns is not known.
  ///
  /// - Parameter isPart: true if the rest of a file was not loaded: needs without a command may be
  ///   defined there.
  public func problemsWithNeeds(isPart: Bool = false) -> [Failure] {
    var problems: [Failure] = []
    for command in commands {
      for need in command.listedNeeds where !isPart || self.command(named: need.name) != nil {
        do throws(Failure) { _ = try command.call(for: need) } catch { problems.append(error) }
      }
    }
    return problems + circles()
  }

  /// Returns the cycles found by a walk in definition order.
  private func circles() -> [Failure] {
    var problems: [Failure] = []
    var finished: Set<String> = []
    for root in commands where !finished.contains(root.name) {
      var path = [(command: root, rest: root.listedNeeds[...])]
      var positions = [root.name: 0]
      while let last = path.indices.last {
        guard let need = path[last].rest.popFirst() else {
          let command = path.removeLast().command
          positions[command.name] = nil
          finished.insert(command.name)
          continue
        }
        guard let next = self.command(named: need.name), !finished.contains(next.name) else {
          continue
        }
        if let start = positions[next.name] {
          let circle = path[start...].map(\.command.name) + [next.name]
          problems.append(next.failure(circle: circle))
        } else {
          positions[next.name] = path.count
          path.append((next, next.listedNeeds[...]))
        }
      }
    }
    return problems
  }
}
