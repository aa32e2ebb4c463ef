import LuaRuntime
import Reactive

/// A chain of operators whose functions are all in Lua. A subscription makes a single pipeline of
/// them, so that a value crosses into Lua once for the whole chain.
final class FusedOperators: Sendable {
  /// The source of the first operator.
  let source: Signal<LuaValue>
  private let before: FusedOperators?
  private let stage: LuaPipeline.Stage
  /// The userdata of this operator's signal, which keeps its function and its seed.
  private let node: SignalNode
  private let length: Int

  /// The longest chain; a longer one is split.
  private static let longest = 60

  /// Makes an operator on the signal of an object, chained to the operators that made that signal.
  init(_ stage: LuaPipeline.Stage, on upstream: SignalObject, _ node: SignalNode) {
    before = upstream.operators.flatMap { $0.length < Self.longest ? $0 : nil }
    source = before?.source ?? upstream.signal
    self.stage = stage
    self.node = node
    length = 1 + (before?.length ?? 0)
  }

  /// Makes the pipeline for one subscription.
  ///
  /// - Parameter sink: the stack index of the function that receives the output of the last
  ///   operator.
  func pipeline(into sink: Int? = nil) throws(LuaError) -> LuaPipeline {
    var row: [FusedOperators] = []
    var next: FusedOperators? = self
    while let one = next {
      row.append(one)
      next = one.before
    }
    let operators = row.reversed()
    let pipeline = try node.host.interpreter.withStack { stack throws(LuaError) -> LuaPipeline in
      guard stack.ensure(2 * length + 10) else { throw LuaError("stack overflow") }
      for one in operators {
        // The seed precedes the function among an operator's arguments, and so it does here.
        if one.stage == .scan {
          stack.pushUserValue(one.node.anchor, 3)
        }
        stack.pushUserValue(one.node.anchor, 2)
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
      source.observe(
        Observer(
          next: { value in
            guard !upstream.isDisposed else { return }
            do {
              if let result = try interpreter.run(pipeline, value), !upstream.isDisposed {
                next(result)
              }
            } catch { end(.error(error)) }
          }, end: end), in: upstream)
    }
  }
}

extension APICall {
  /// Pushes the signal of an operator on the one at 1 that applies the function among its
  /// arguments.
  func fuse(_ stage: LuaPipeline.Stage) throws -> LuaOutcome {
    let upstream = try lua.object(at: 1, Userdata.signal)
    host.noteObserved(upstream)
    stack.top = stage == .scan ? 3 : 2
    let object = SignalObject()
    let node = push(
      object, as: Userdata.signal, holding: 1...stack.top, values: stage == .scan ? [2] : [])
    let operators = FusedOperators(stage, on: upstream, node)
    object.operators = operators
    object.become(node.rooting(operators.signal))
    watchMade(object)
    return .results(1)
  }
}
