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

  /// Subscribes the work and reports its end to the core; true if the execution has ended and the
  /// caller has to settle it.
  @usableFromInline let subscribe:
    @Sendable (_ execution: AnyObject, _ work: AnyObject, CompoundDisposable) -> Bool

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
      return execution.subscribe(unsafeDowncast(work, to: Signal<Output>.self), in: subscription)
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
  /// Kept by the execution for its whole life, so that a copy counts one reference.
  private let keptEntry: Unmanaged<ExecutionEntry>

  /// - Parameter entry: the execution's own.
  @usableFromInline
  init(_ object: any AnyObject & Sendable, _ entry: ExecutionEntry) {
    self.object = object
    keptEntry = .passUnretained(entry)
  }

  /// The entry; a strong reference of its own, which may outlive the execution.
  var entry: ExecutionEntry { keptEntry.takeUnretainedValue() }

  /// Calls `body` with the entry without counting a reference; the execution has to live meanwhile.
  func withEntry<Result>(_ body: (ExecutionEntry) -> Result) -> Result {
    keptEntry._withUnsafeGuaranteedRef(body)
  }
}
