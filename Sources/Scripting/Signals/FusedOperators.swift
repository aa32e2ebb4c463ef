import LuaRuntime
import Reactive

/// A chain of operators whose functions are all in Lua. A subscription makes a single pipeline of
/// them, so that a value crosses into Lua once for the whole chain.
///
/// One of them may be `flat_map` if a script's functions subscribe; see `FlatMapping`.
final class FusedOperators: Sendable {
  /// The source of the first operator.
  let source: Signal<LuaValue>
  private let before: FusedOperators?
  private let stage: LuaPipeline.Stage
  /// The userdata of this operator's signal, which keeps its function and its seed.
  private let node: SignalNode
  private let length: Int
  /// True if one of them is `flat_map`.
  private let flattens: Bool
  /// The same chain behind a `flat_map`, for other subscribers than functions.
  private let rest: (source: Signal<LuaValue>, length: Int)

  /// The longest chain; a longer one is split.
  private static let longest = 60

  /// Makes an operator on the signal of an object, chained to the operators that made that signal.
  init(_ stage: LuaPipeline.Stage, on upstream: SignalObject, _ node: SignalNode) {
    before = upstream.operators.flatMap {
      $0.length < Self.longest && !($0.flattens && stage == .flatMap) ? $0 : nil
    }
    source = before?.source ?? upstream.signal
    self.stage = stage
    self.node = node
    length = 1 + (before?.length ?? 0)
    flattens = stage == .flatMap || before?.flattens == true
    if let before, before.stage != .flatMap {
      rest = (before.rest.source, before.rest.length + 1)
    } else {
      rest = (upstream.signal, 1)
    }
  }

  /// What flattens in a new pipeline into a function; nil if nothing does.
  func flatMapping() -> FlatMapping? { flattens ? FlatMapping(node.host) : nil }

  /// Makes the pipeline for one subscription.
  ///
  /// - Parameters:
  ///   - sink: the stack index of the function that receives the output of the last operator.
  ///   - flatMapping: takes what the function of a `flat_map` returns.
  func pipeline(
    into sink: Int? = nil, _ flatMapping: FlatMapping? = nil
  ) throws(LuaError) -> LuaPipeline {
    var row: [FusedOperators] = []
    var next: FusedOperators? = self
    let count = sink == nil ? rest.length : length
    while let one = next, row.count < count {
      row.append(one)
      next = one.before
    }
    let operators = row.reversed()
    let pipeline = try node.host.interpreter.withStack { stack throws(LuaError) -> LuaPipeline in
      guard stack.ensure(2 * length + 12) else { throw LuaError("stack overflow") }
      for one in operators {
        // The seed precedes the function among an operator's arguments, and so it does here.
        if one.stage == .scan {
          stack.pushUserValue(one.node.anchor, 3)
        }
        stack.pushUserValue(one.node.anchor, 2)
        if one.stage == .flatMap { flatMapping?.push(on: stack) }
      }
      guard let sink else { return try LuaPipeline(popping: stack, operators.map(\.stage)) }
      stack.copy(from: sink)
      return try LuaPipeline(popping: stack, operators.map(\.stage) + [.sink])
    }
    guard let pipeline else { throw LuaError("the interpreter has closed") }
    return pipeline
  }

  /// The signal of the last operator.
  var signal: Signal<LuaValue> {
    Signal { [self] observer, subscription in
      let pipeline: LuaPipeline
      do { pipeline = try self.pipeline() } catch { return observer.end(.error(error)) }
      let interpreter = node.host.interpreter
      let upstream = subscription.makeChild()
      upstream.add { pipeline.stop() }
      let end: @Sendable (Termination) -> Void = { termination in
        guard !upstream.isDisposed else { return }
        upstream.dispose()
        observer.end(termination)
      }
      let next = observer.next
      let one: @Sendable (LuaValue) -> Void = { value in
        guard !upstream.isDisposed else { return }
        do {
          if let result = try interpreter.run(pipeline, value), !upstream.isDisposed {
            next(result)
          }
        } catch { end(.error(error)) }
      }
      let batch = observer.batch.map { send in
        { @Sendable (values: Batch<LuaValue>) in
          guard let lines = values as? LineBatch else {
            return values.forEach(from: 0, while: { !upstream.isDisposed }, one)
          }
          guard !upstream.isDisposed else { return }
          do {
            try interpreter.run(
              pipeline, lines: lines.text,
              into: { if !upstream.isDisposed { send(LineBatch($0)) } },
              { if !upstream.isDisposed { next($0) } })
          } catch { end(.error(error)) }
        }
      }
      rest.source.observe(Observer(next: one, batch: batch, end: end), in: upstream)
    }
  }
}

extension APICall {
  /// Pushes the signal of an operator on the one at 1 that applies the function among its
  /// arguments.
  ///
  /// - Parameter lift: makes the signal for subscribers that are not functions of a script, unless a
  ///   pipeline does that as well.
  func fuse(
    _ stage: LuaPipeline.Stage,
    lift: ((Signal<LuaValue>, SignalNode) -> Signal<LuaValue>)? = nil
  ) throws -> LuaOutcome {
    let upstream = try lua.object(at: 1, Userdata.signal)
    host.noteObserved(upstream)
    stack.top = stage == .scan ? 3 : 2
    let object = SignalObject()
    let node = push(
      object, as: Userdata.signal, holding: 1...stack.top, values: stage == .scan ? [2] : [])
    let operators = FusedOperators(stage, on: upstream, node)
    object.operators = operators
    object.become(node.rooting(lift?(upstream.signal, node) ?? operators.signal))
    watchMade(object)
    return .results(1)
  }
}
