import LuaRuntime
import Platform
import Reactive

extension ScriptHost {
  /// Returns each problem with the commands that others need, or execute as steps, once: undefined
  /// names, inputs that these commands refuse, and cycles. What a function returns is not known.
  ///
  /// - Parameter isPart: true if the rest of a file was not loaded: needs without a command may be
  ///   defined there.
  public func problemsWithNeeds(isPart: Bool = false) -> [Failure] {
    var problems: [Failure] = []
    for command in commands {
      for (need, use) in command.uses where !isPart || self.command(named: need.name) != nil {
        do throws(Failure) { _ = try command.call(for: need, as: use) } catch {
          problems.append(error)
        }
        let needed = self.command(named: need.name)
        let problem =
          use == .needed
          ? needed?.problemOfService(neededBy: command)
            ?? needed?.problemOfEndlessness(neededBy: command)
          : needed?.problemOfService(executedBy: command)
        if let problem { problems.append(problem) }
      }
    }
    return problems + circles(from: commands)
  }

  /// Returns an observer of the top level of a command file, which fails if a command would wait for a
  /// service for ever.
  func failingWithEndlessWait(_ observer: Observer<LuaValue>) -> Observer<LuaValue> {
    Observer(
      next: observer.next, batch: observer.batch,
      end: onLoop { [unowned(unsafe) self] termination in
        // A check reports it with all else.
        if case .completed = termination, reportMistake == nil, let problem = endlessWait {
          return observer.end(.error(problem))
        }
        observer.end(termination)
      })
  }

  private var endlessWait: Failure? {
    guard registry.hasServices else { return nil }
    let problems = commands.lazy.flatMap { command in
      command.uses.lazy.compactMap { [self] need, use in
        let other = self.command(named: need.name)
        return use == .needed
          ? other?.problemOfService(neededBy: command)
          : other?.problemOfService(executedBy: command)
      }
    }
    return problems.first?.atPosition
  }

  /// Returns the cycles found by a walk from some commands.
  func circles(from roots: [ScriptCommand]) -> [Failure] {
    var problems: [Failure] = []
    var finished: Set<String> = []
    for root in roots where !finished.contains(root.name) {
      var path = [(command: root, rest: root.uses[...])]
      var positions = [root.name: 0]
      while let last = path.indices.last {
        guard let (need, _) = path[last].rest.popFirst() else {
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
          path.append((next, next.uses[...]))
        }
      }
    }
    return problems
  }
}

extension ScriptCommand {
  /// The commands that it needs, or executes as steps, whatever the input is.
  var uses: [(Need, Need.Use)] {
    listedNeeds.map { ($0, .needed) } + stepCalls.map { ($0, .executed) }
  }
}
