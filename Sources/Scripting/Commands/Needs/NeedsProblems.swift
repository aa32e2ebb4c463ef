extension ScriptHost {
  /// Returns each problem with the needs of the commands once: undefined names, needed commands
  /// that require a parameter, and cycles.
  public func problemsWithNeeds() -> [Failure] {
    var problems: [Failure] = []
    for command in commands {
      for name in command.needs {
        guard let needed = self.command(named: name) else {
          problems.append(command.failure(needing: name))
          continue
        }
        for parameter in needed.parameters where parameter.isRequired {
          problems.append(
            command.failure(needing: needed, InputError.missing(parameter: parameter.name)))
        }
      }
    }
    return problems + circles()
  }

  /// Returns the cycles found by a walk in definition order.
  private func circles() -> [Failure] {
    var problems: [Failure] = []
    var finished: Set<String> = []
    for root in commands where !finished.contains(root.name) {
      var path = [(command: root, rest: root.needs[...])]
      var positions = [root.name: 0]
      while let last = path.indices.last {
        guard let name = path[last].rest.popFirst() else {
          let command = path.removeLast().command
          positions[command.name] = nil
          finished.insert(command.name)
          continue
        }
        guard let next = self.command(named: name), !finished.contains(next.name) else { continue }
        if let start = positions[next.name] {
          let circle = path[start...].map(\.command.name) + [next.name]
          problems.append(next.failure(circle: circle))
        } else {
          positions[next.name] = path.count
          path.append((next, next.needs[...]))
        }
      }
    }
    return problems
  }
}
