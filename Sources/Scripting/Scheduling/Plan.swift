import LuaRuntime

/// Calls of commands and everything they need, ordered so that each step comes after those it
/// needs and those that an order puts before it. Confined to the loop's thread.
public struct Plan: Sendable {
  /// A command and its input.
  public struct Call: Sendable {
    /// The command.
    public let command: ScriptCommand
    /// The complete input.
    public let input: LuaValue
    /// The identity of the call.
    public let key: CallKey

    /// Makes a call with a complete input.
    public init(_ command: ScriptCommand, _ input: LuaValue) {
      self.command = command
      self.input = input
      key = CallKey(command, input)
    }
  }

  /// One planned execution.
  public struct Step: Sendable {
    /// What to execute.
    public let call: Call
    /// The indexes of the steps that must have completed before.
    public internal(set) var needs: [Int]
    /// The indexes of the steps that `in_order` puts before it; they must have completed, too.
    public internal(set) var after: [Int] = []
    /// The indexes of the requested steps that the user has put before it in a sequence. They must
    /// have completed, or, in a run that keeps going, have ended.
    public internal(set) var follows: [Int] = []
    /// True if it belongs to a call behind another one of a sequence, which may make what the step
    /// finds: so its files of variables are read and its precondition is asked when its turn comes.
    public internal(set) var isLater = false
    /// True if it was requested, rather than only needed.
    public internal(set) var isRequested: Bool
    /// True if it is the execution that stands for its call wherever the call is needed.
    let isShared: Bool

    /// The command to execute.
    public var command: ScriptCommand { call.command }
    /// The input.
    public var input: LuaValue { call.input }
    /// The steps that have to end before it.
    var predecessors: [Int] { needs + after + follows }
  }

  /// The steps in order.
  public internal(set) var steps: [Step] = []
  /// True if several sequences are executed side by side.
  public let isSideBySide: Bool
  /// The calls that the steps of commands execute themselves, each once, with what these need.
  public internal(set) var inner: [Call] = []
  /// The steps of calls that others need, or would need.
  private var shared: [CallKey: Int] = [:]
  /// The calls that a call needs which is no step itself.
  private(set) var needsOfOwner: Set<CallKey> = []
  /// Steps that `in_order` puts one behind the other, outer ones first. They count after the orders that
  /// the user has asked for: what these put earlier stays there.
  private var inOrder: [(visit: Int, steps: [Int])] = []
  private var visitCount = 0
  /// The calls of needed commands without an input of their own.
  private var plainCalls: [ObjectIdentifier: Call] = [:]

  /// Plans calls that are executed side by side, with each needed call once.
  ///
  /// - Throws: `Failure`: of kind `dependency` for an undefined name or a cycle, of kind `input`
  ///   for an input that a needed command refuses, or that of a function that returns needs.
  public init(_ calls: [Call], skippingNeeds: Bool = false) throws(Failure) {
    try self.init(sequences: calls.map { [$0] }, skippingNeeds: skippingNeeds)
  }

  /// Plans sequences of calls that are executed side by side, with each needed call once. A call of
  /// a sequence, with all that it needs, comes after the one before it.
  ///
  /// - Throws: `Failure`, as for calls without an order.
  public init(sequences: [[Call]], skippingNeeds: Bool = false) throws(Failure) {
    isSideBySide = sequences.count > 1
    var chains: [[Int]] = []
    for sequence in sequences {
      var chain: [Int] = []
      for call in sequence {
        if skippingNeeds {
          chain.append(add(call, needs: [], isRequested: true))
        } else if let step = shared[call.key], !steps[step].isRequested {
          steps[step].isRequested = true
          chain.append(step)
        } else {
          chain.append(add(call, needs: try visit(call), isRequested: true))
        }
      }
      chains.append(chain)
    }
    for chain in chains { order(chain, \.follows) }
    orderNeeds()
    sort()
    inner = try Self.calls(executedBy: steps.map(\.call))
  }

  /// Plans what a call needs, without the call itself.
  public init(needsOf call: Call) throws(Failure) {
    isSideBySide = false
    needsOfOwner = Set(try visit(call, isOwner: true).map { steps[$0].call.key })
    orderNeeds()
    sort()
  }

  /// Plans a call that is executed for the work of another execution, whatever else executes it.
  package init(workOf call: Call) throws(Failure) {
    isSideBySide = false
    let needs = try visit(call)
    steps.append(Step(call: call, needs: needs, isRequested: false, isShared: false))
    orderNeeds()
    sort()
  }

  private mutating func orderNeeds() {
    for (_, steps) in inOrder.sorted(by: { $0.visit < $1.visit }) { order(steps, \.after) }
    inOrder = []
  }

  @discardableResult
  private mutating func add(_ call: Call, needs: [Int], isRequested: Bool) -> Int {
    let index = steps.count
    let isShared = shared[call.key] == nil
    if isShared { shared[call.key] = index }
    steps.append(Step(call: call, needs: needs, isRequested: isRequested, isShared: isShared))
    return index
  }

  /// A call whose needs are being visited.
  private struct Visit {
    let call: Call
    /// Its place in the order in which visits have begun.
    let number: Int
    var rest: ArraySlice<Call>
    /// True if each need comes after the one before it.
    let isInOrder: Bool
    var needs: [Int] = []
    private var known: Set<Int> = []

    init(_ call: Call, _ number: Int, _ needs: (calls: [Call], isInOrder: Bool)) {
      self.call = call
      self.number = number
      rest = needs.calls[...]
      isInOrder = needs.isInOrder
    }

    mutating func add(_ step: Int) {
      if known.insert(step).inserted { needs.append(step) }
    }
  }

  /// Adds the steps of everything that a call needs, without recursion, so that a chain may have
  /// any length.
  ///
  /// - Returns: the steps that the call itself needs.
  private mutating func visit(_ root: Call, isOwner: Bool = false) throws(Failure) -> [Int] {
    visitCount += 1
    var path = [Visit(root, visitCount, try isOwner ? needsOfWork(of: root) : needs(of: root))]
    var positions = [root.key: 0]
    while true {
      let last = path.count - 1
      guard let next = path[last].rest.popFirst() else {
        let visit = path.removeLast()
        positions[visit.call.key] = nil
        if visit.isInOrder { inOrder.append((visit.number, visit.needs)) }
        guard last > 0 else { return visit.needs }
        path[last - 1].add(add(visit.call, needs: visit.needs, isRequested: false))
        continue
      }
      if let step = shared[next.key] {
        path[last].add(step)
        continue
      }
      if let start = positions[next.key] {
        throw root.command.failure(
          circle: path[start...].map(\.call.command.name) + [next.command.name])
      }
      if next.command.asksForNeeds,
        path.count(where: { $0.call.command === next.command }) == Self.deepest
      {
        throw next.command.failureOfEndlessNeeds(Self.deepest)
      }
      positions[next.key] = path.count
      visitCount += 1
      path.append(Visit(next, visitCount, try needs(of: next)))
    }
  }

  /// The number of calls of one command that may need each other in a row.
  static let deepest = 1_000

  private mutating func needs(
    of call: Call
  ) throws(Failure) -> (calls: [Call], isInOrder: Bool) {
    guard call.command.isService else { return try needsOfWork(of: call) }
    // Who provides it executes what it needs.
    if let circle = call.command.host.circles(from: [call.command]).first { throw circle }
    return ([], false)
  }

  private mutating func needsOfWork(
    of call: Call
  ) throws(Failure) -> (calls: [Call], isInOrder: Bool) {
    guard call.command.hasNeeds else { return ([], false) }
    var calls: [Call] = []
    let list = try call.command.needs(with: call.input)
    for need in list.needs {
      let known = call.command.host.command(named: need.name).map { ObjectIdentifier($0) }
      if need.input.isEmpty, let known, let plain = plainCalls[known] {
        calls.append(plain)
        continue
      }
      let needed = try call.command.call(for: need, as: .needed)
      if let problem = needed.command.problemOfService(neededBy: call.command) { throw problem }
      if need.input.isEmpty { plainCalls[ObjectIdentifier(needed.command)] = needed }
      calls.append(needed)
    }
    if let problem = call.command.problemBeside(calls) {
      var failure = Failure(.dependency, "'\(call.command.name)' \(problem)")
      failure.position = call.command.position
      throw failure
    }
    return (calls, list.isInOrder)
  }
}

extension ScriptCommand {
  func failure(calling need: Need, as use: Need.Use) -> Failure {
    let isOuter = need.written.hasPrefix(":")
    let hint =
      listMeant(by: need, as: use)
      ?? didYouMean(
        nameMeant(by: need.name).map { (isOuter ? ":" : "") + $0 },
        otherwise: isOuter ? "':' refers to the outermost file, which is this one" : nil)
    var failure = Failure(
      .dependency,
      "'\(name)' \(use.verb) '\(isOuter ? need.written : need.name)', which is not defined" + hint)
    failure.position = position
    return failure
  }

  /// The end of a message about a name that consists of the names of several commands.
  private func listMeant(by need: Need, as use: Need.Use) -> String? {
    let names = need.written.split(whereSeparator: { $0 == "," || $0.isWhitespace }).map(
      String.init)
    let areAllKnown = names.allSatisfy {
      host.command(named: SourceScope.referred($0, in: description.namespace)) != nil
    }
    guard use == .needed, names.count > 1, areAllKnown else { return nil }
    return
      "; several are a list: needs = {\(names.map { LuaLiteral.text($0) }.joined(separator: ", "))}"
  }

  func failure(calling command: ScriptCommand, as use: Need.Use, _ error: InputError) -> Failure {
    var failure = Failure(.input, "'\(name)' \(use.verb) '\(command.name)': \(error)")
    failure.position = position
    return failure
  }

  /// Returns the failure of an execution whose work waits for a command that needs that execution.
  func failure(neededByOwnWorkOf outer: ScriptCommand) -> Failure {
    Failure(
      .dependency,
      "'\(name)' needs '\(outer.name)', whose own work waits for it")
  }

  /// Returns the failure of a function of needs that needs its own command over and over.
  func failureOfEndlessNeeds(_ count: Int) -> Failure {
    var failure = Failure(
      .dependency, "'\(name)' needs itself with other inputs more than \(count) times in a row")
    failure.position = position
    return failure
  }

  func failure(circle: [String]) -> Failure {
    let hasSteps = circle.contains { host.command(named: $0)?.stepCalls.isEmpty == false }
    var failure = Failure(
      .dependency,
      "the needs\(hasSteps ? " and steps" : "") of '\(name)' form a cycle: "
        + circle.joined(separator: " -> "))
    failure.position = position
    return failure
  }
}
