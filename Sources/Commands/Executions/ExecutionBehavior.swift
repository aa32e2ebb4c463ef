import Reactive

/// The operations of a command's state machine on executions whose types it does not know.
///
/// Each command has one value, created where the types are known: the closures are specialised
/// there, which methods of a generic class would not be.
@usableFromInline
struct ExecutionBehavior: Sendable {
  /// Calls the signal block; if it throws, returns a signal that fails.
  @usableFromInline let makeWork: @Sendable (_ execution: AnyObject) -> any AnyObject & Sendable

  /// Returns the same work without a reference to the signal's object, for a later subscription.
  @usableFromInline let repeatable: @Sendable (_ work: AnyObject) -> any AnyObject & Sendable

  /// Subscribes the work and reports its end to the core.
  @usableFromInline let subscribe:
    @Sendable (_ execution: AnyObject, _ work: AnyObject, CompoundDisposable) -> Void

  /// Ends the subscribers of an execution.
  @usableFromInline let end: @Sendable (_ execution: AnyObject, Termination) -> Void

  @inlinable
  init<Input: Sendable, Output: Sendable>(
    _ signalBlock: @escaping @Sendable (Input) throws -> Signal<Output>,
    willEnd: (@Sendable (Execution<Input, Output>, Termination) -> Void)?
  ) {
    makeWork = { execution in
      do {
        return try signalBlock(Self.execution(execution, Input.self, Output.self).input)
      } catch {
        return Signal<Output> { observer, _ in observer.end(.error(error)) }
      }
    }
    repeatable = { Signal(unsafeDowncast($0, to: Signal<Output>.self)) }
    subscribe = { execution, work, subscription in
      let execution = Self.execution(execution, Input.self, Output.self)
      execution.subscribe(unsafeDowncast(work, to: Signal<Output>.self), in: subscription)
    }
    end = { execution, termination in
      let execution = Self.execution(execution, Input.self, Output.self)
      willEnd?(execution, termination)
      execution.end(termination)
    }
  }

  @inlinable
  static func execution<Input, Output>(
    _ execution: AnyObject, _ input: Input.Type, _ output: Output.Type
  ) -> Execution<Input, Output> {
    unsafeDowncast(execution, to: Execution<Input, Output>.self)
  }
}

/// A type-erased execution for the state machine.
@usableFromInline
struct AnyExecution: Sendable {
  @usableFromInline let object: any AnyObject & Sendable
  /// Kept by the execution, so that a copy counts one reference. What uses it after a call that may
  /// release the execution takes a strong reference before.
  @usableFromInline unowned(unsafe) let entry: ExecutionEntry

  @inlinable
  init<Input: Sendable, Output: Sendable>(_ execution: Execution<Input, Output>) {
    object = execution
    entry = execution.entry
  }
}
