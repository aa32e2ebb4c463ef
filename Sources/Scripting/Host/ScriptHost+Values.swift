import LuaRuntime
import Reactive

/// Values of scripts, and places in their code.
extension ScriptHost {
  /// The id of the outermost execution whose code runs now; nil if none does.
  package var presentExecution: Int? { context.execution?.origin }

  /// Reports an unhandled error.
  func reportUnhandled(_ error: any Error) {
    // The code around it is stopped, too, and what it belongs to fails.
    let isInside = interpreter.nestingDepth > 0 && interpreter.isInterrupted
    if isInside, let error = error as? LuaError, error.isStop { return }
    let failure = namingSource(failure(of: error))
    if failure.kind == .cancelled { return }
    // The script has not failed; it was prevented from continuing.
    if isRefusal(failure) { return log(.warn, failure.message) }
    observers.leftUnhandled(failure)
  }

  /// Returns the signal behind a value. The caller must keep the userdata alive while it uses the
  /// signal.
  func operand(_ value: LuaValue) -> Signal<LuaValue>? {
    guard case .reference(let reference) = value, reference.type == .userdata else { return nil }
    let object = interpreter.withStack { stack in
      stack.push(reference)
      return stack.object(at: -1, Userdata.signal)
    }
    guard let object = object ?? nil else { return nil }
    noteObserved(object)
    return object.signal
  }

  /// Returns the signal behind a value, kept alive until it is subscribed, from which point it
  /// roots itself; nil if the value is not a signal.
  ///
  /// A value of `rac.lazy` is the signal of its value.
  public func signal(from value: LuaValue) -> Signal<LuaValue>? {
    if let object = lazyObject(value) { return object.signal }
    guard let signal = operand(value) else { return nil }
    return Signal { observer, subscription in
      withExtendedLifetime(value) { signal.observe(observer, in: subscription) }
    }
  }

  /// Returns the value of `rac.lazy` that a value is; nil for any other.
  func lazyObject(_ value: LuaValue) -> LazyObject? {
    guard value.type == .userdata else { return nil }
    return interpreter.withStack { stack in
      stack.push(value)
      return stack.object(at: -1, Userdata.lazy)
    } ?? nil
  }

  /// Returns the signal at a stack index, with the lifetime that `signal(from:)` describes.
  func signal(at index: Int, on stack: LuaStack) -> Signal<LuaValue>? {
    guard let object = stack.object(at: index, Userdata.signal) else { return nil }
    noteObserved(object)
    // A signal without Lua functions needs nothing from its userdata.
    return object.isFree ? object.signal : signal(from: stack.value(at: index))
  }

  /// Marks a signal that a script uses as handled.
  func noteObserved(_ object: SignalObject) { object.noteObserved() }

  /// Returns the `file:line` of the script line that is calling the library.
  func placeOfCall() -> String? {
    interpreter.withStack { $0.placeOfCall } ?? nil
  }

  /// Returns the `file:line` of the definition that is being made: the line of the file itself, if it is
  /// made by a function that the file calls.
  func placeOfDefinition() -> String? {
    interpreter.withStack { $0.placeInChunk ?? $0.placeOfCall } ?? nil
  }

  /// Returns the `file:line` where a function is defined; nil if it is not in a script.
  func placeOfFunction(_ function: LuaValue) -> String? {
    interpreter.withStack { stack in
      stack.push(function)
      return stack.placeOfFunction(at: -1)
    } ?? nil
  }

  func node(of stack: LuaStack, at index: Int) -> SignalNode {
    guard let anchor = stack.anchor(at: index) else {
      preconditionFailure("a userdata of the library has an anchor")
    }
    return SignalNode(host: self, anchor: anchor)
  }

  /// Returns a value that `push` makes on the stack.
  func value(pushing push: (LuaStack) -> Void) -> LuaValue {
    interpreter.withStack { stack in
      push(stack)
      return stack.value(at: -1)
    } ?? .nil
  }

  /// Returns a tuple, the form in which combining operators send values.
  func tuple(_ values: [LuaValue]) -> LuaValue {
    (try? prelude.call(.newTuple, values)) ?? .nil
  }
}
