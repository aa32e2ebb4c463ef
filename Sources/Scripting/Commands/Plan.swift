import LuaRuntime

/// Calls of commands and everything they need, ordered so that each step comes after those it
/// needs. Confined to the loop's thread.
public struct Plan: Sendable {
  /// A requested command and its input.
  public struct Call {
    /// The command.
    public let command: ScriptCommand
    /// The complete input.
    public let input: LuaValue
    /// True if the call gave no input, so that it equals the execution that dependents need.
    public let isPlain: Bool

    /// Makes a call with an input.
    public init(_ command: ScriptCommand, _ input: LuaValue, isPlain: Bool) {
      self.command = command
      self.input = input
      self.isPlain = isPlain
    }
  }

  /// One planned execution.
  public struct Step: Sendable {
    /// The command to execute.
    public let command: ScriptCommand
    /// The input.
    public let input: LuaValue
    /// The indexes of the steps that must have completed before.
    public let needs: [Int]
    /// True if it was requested, rather than only needed.
    public fileprivate(set) var isRequested: Bool
    /// True if it is the execution that other steps need, or would need.
    let isPlain: Bool
  }

  /// The steps in order.
  public private(set) var steps: [Step] = []
  /// The steps of commands that others need, by command name.
  private var needed: [String: Int] = [:]

  /// Plans calls, with each needed command once.
  ///
  /// - Throws: `Failure`: of kind `dependency` for an undefined name or a cycle, of kind `input`
  ///   for a needed command that requires a parameter.
  public init(_ calls: [Call], skippingNeeds: Bool = false) throws(Failure) {
    for call in calls {
      if skippingNeeds {
        add(call, needs: [])
      } else if call.isPlain, let step = needed[call.command.name], !steps[step].isRequested {
        steps[step].isRequested = true
      } else {
        try visit(call.command)
        add(call, needs: stepsNeeded(by: call.command))
      }
    }
  }

  /// Plans the commands that a command needs, without the command itself.
  init(needsOf command: ScriptCommand) throws(Failure) {
    try visit(command)
  }

  private mutating func add(_ call: Call, needs: [Int]) {
    if call.isPlain, needed[call.command.name] == nil { needed[call.command.name] = steps.count }
    steps.append(
      Step(
        command: call.command, input: call.input, needs: needs, isRequested: true,
        isPlain: needed[call.command.name] == steps.count))
  }

  private func stepsNeeded(by command: ScriptCommand) -> [Int] {
    var known: Set<Int> = []
    return command.needs.compactMap { name in
      let step = command.host.command(named: name).flatMap { needed[$0.name] }
      return step.flatMap { known.insert($0).inserted ? $0 : nil }
    }
  }

  /// A command whose needs are being visited.
  private struct Visit {
    let command: ScriptCommand
    var rest: ArraySlice<String>
  }

  /// Adds the steps of everything that a command needs, without recursion, so that a chain may have
  /// any length.
  private mutating func visit(_ root: ScriptCommand) throws(Failure) {
    var path = [Visit(command: root, rest: root.needs[...])]
    var positions = [root.name: 0]
    while let last = path.indices.last {
      let command = path[last].command
      guard let name = path[last].rest.popFirst() else {
        path.removeLast()
        positions[command.name] = nil
        if !path.isEmpty { try addNeeded(command, by: path[last - 1].command) }
        continue
      }
      guard let next = command.host.command(named: name) else {
        throw command.failure(needing: name)
      }
      guard needed[next.name] == nil else { continue }
      if let start = positions[next.name] {
        throw root.failure(circle: path[start...].map(\.command.name) + [next.name])
      }
      positions[next.name] = path.count
      path.append(Visit(command: next, rest: next.needs[...]))
    }
  }

  private mutating func addNeeded(
    _ command: ScriptCommand, by user: ScriptCommand
  ) throws(Failure) {
    let input: LuaValue
    do { input = try command.input(from: []) } catch {
      throw user.failure(needing: command, error)
    }
    needed[command.name] = steps.count
    steps.append(
      Step(
        command: command, input: input, needs: stepsNeeded(by: command), isRequested: false,
        isPlain: true))
  }
}

extension ScriptCommand {
  /// The names of the commands that are executed before this one.
  public var needs: [String] { description.needs }

  func failure(needing name: String) -> Failure {
    let hint = nameMeant(by: name).map { "; did you mean '\($0)'?" } ?? ""
    var failure = Failure(
      .dependency, "'\(self.name)' needs '\(name)', which is not defined" + hint)
    failure.position = position
    return failure
  }

  func failure(needing command: ScriptCommand, _ error: InputError) -> Failure {
    var failure = Failure(.input, "'\(name)' needs '\(command.name)': \(error)")
    failure.position = position
    return failure
  }

  /// Returns the failure of an execution whose work waits for a command that needs that execution.
  func failure(neededByOwnWorkOf outer: ScriptCommand) -> Failure {
    Failure(
      .dependency,
      "'\(name)' needs '\(outer.name)', whose own work waits for it")
  }

  func failure(circle: [String]) -> Failure {
    var failure = Failure(
      .dependency,
      "the needs of '\(name)' go round in a circle: \(circle.joined(separator: " -> "))")
    failure.position = position
    return failure
  }
}
