import LuaRuntime
import Platform
import Reactive

/// A value of `rac.lazy`, which its function computes when it is first used, once; or a text that is
/// joined of such values. Confined to the loop's thread.
final class LazyObject {
  /// The user values of the userdata: the function, or the two joined parts; and the value.
  enum Slot {
    static let function = 1
    static let otherPart = 2
    static let value = 3
  }

  private enum State {
    case new
    case computing(CompoundDisposable)
    case known
    case failed(Failure)
  }

  private unowned(unsafe) let host: ScriptHost
  /// The bytes that stand for it until it is known.
  let text: [UInt8]
  /// True if it is a text that is joined of others.
  private let isJoined: Bool
  /// `file:line` of the call that made it.
  let position: String
  private var node: SignalNode?
  private var state = State.new
  private var waiting: [(id: Int, observer: Observer<LuaValue>)] = []
  private var lastWaiting = 0
  /// The value whose result it waits for while it is being computed.
  private weak var awaited: LazyObject?

  /// Makes a value that a function computes.
  init(_ host: ScriptHost, number: Int, position: String) {
    self.host = host
    text = LazyText.mark(number)
    isJoined = false
    self.position = position
  }

  /// Makes a text that is joined of others.
  init(_ host: ScriptHost, joined text: [UInt8], position: String) {
    self.host = host
    self.text = text
    isJoined = true
    self.position = position
  }

  /// Sets its userdata, right after that exists.
  func become(_ node: SignalNode) { self.node = node }

  /// The value if it is known.
  var value: LuaValue? {
    guard case .known = state else { return nil }
    return node?.userValue(Slot.value)
  }

  /// Sends the value, or the error of the function, and completes. The first subscription computes it;
  /// when the last one is disposed before that has ended, the next one computes it again.
  var signal: Signal<LuaValue> {
    guard let node else { return .empty() }
    return host.receiving(node.rooting(Signal(source: onLoop { [self] in observe($0, in: $1) })))
  }

  private func observe(_ observer: Observer<LuaValue>, in subscription: CompoundDisposable) {
    switch state {
    case .known:
      observer.next(value ?? .nil)
      return observer.end(.completed)
    case .failed(let failure): return observer.end(.error(failure))
    case .new, .computing: break
    }
    lastWaiting += 1
    let id = lastWaiting
    waiting.append((id, observer))
    subscription.add(onLoop { [self] in leave(id) })
    if case .new = state { compute() }
  }

  private func leave(_ id: Int) {
    waiting.removeAll { $0.id == id }
    guard waiting.isEmpty, case .computing(let work) = state else { return }
    state = .new
    work.dispose()
  }

  private func compute() {
    let work = CompoundDisposable()
    state = .computing(work)
    // It belongs to no execution: others use it, too.
    host.within(nil) { isJoined ? join(in: work) : callFunction(in: work) }
  }

  private func join(in work: CompoundDisposable) {
    host.resolve([text], in: work) { [self] texts in
      finish(texts.map { .string(LuaString($0[0])) })
    }
  }

  private func callFunction(in work: CompoundDisposable) {
    var values: [LuaValue] = []
    var isSignal = false
    let run = CoroutineRun(
      host,
      Observer(
        next: onLoop { values.append($0) },
        end: onLoop { [self] termination in
          switch termination {
          case .completed: finish(Result { try result(of: values, isSignal: isSignal) })
          case .error(let error): finish(.failure(explained(error)))
          }
        }), work,
      resultUse: .all { [host] results in
        if let signal = host.signal(from: results.first ?? .nil) {
          isSignal = true
          return signal
        }
        values = Array(results.prefix(1))
        return nil
      })
    run.computed = self
    run.refuse(.mistakes)
    run.start(node?.userValue(Slot.function) ?? .nil) { _ in 0 }
  }

  /// Returns the value of what the function has sent: one value as it is, and the lines of a process as
  /// one text, as a shell does, which is empty for none.
  private func result(of values: [LuaValue], isSignal: Bool) throws -> LuaValue {
    if isSignal, values.isEmpty { return .string(LuaString([])) }
    guard let first = values.first, !first.isNil else {
      throw SourceLocation(text: position).failure(
        "the function of rac.lazy returned nothing; is 'return' missing?")
    }
    if values.count == 1 { return first }
    let lines = values.compactMap(\.argumentBytes)
    guard lines.count == values.count else {
      throw SourceLocation(text: position).failure(
        "the signal of rac.lazy sent several values that are not strings; ':to_table()' makes one "
          + "of them")
    }
    return .string(LuaString(Array(lines.joined(separator: [UInt8(ascii: "\n")]))))
  }

  private func explained(_ error: any Error) -> any Error {
    var failure = host.failure(of: error)
    if ![.lua, .cancelled, .user].contains(failure.kind) {
      failure.message = "\(position): rac.lazy: \(failure.message)"
      failure.position = position
    }
    return failure
  }

  private func finish(_ result: Result<LuaValue, any Error>) {
    guard case .computing = state else { return }
    switch result {
    case .success(let value):
      _ = host.interpreter.withStack { stack in
        guard let node, stack.push(node.anchor) else { return }
        stack.push(value)
        stack.setUserValue(Slot.value, at: -2)
      }
      state = .known
    case .failure(let error):
      let failure = host.failure(of: error)
      state = failure.kind == .cancelled ? .new : .failed(failure)
    }
    let observers = waiting
    waiting = []
    for (_, observer) in observers {
      switch result {
      case .success(let value):
        observer.next(value)
        observer.end(.completed)
      case .failure(let error): observer.end(.error(error))
      }
    }
  }

  /// Notes that the function of `owner` waits for this value.
  ///
  /// - Throws: `Failure` if this one waits for `owner`.
  func await(by owner: LazyObject?) throws {
    guard let owner else { return }
    var next: LazyObject? = self
    while let value = next {
      if value === owner {
        throw SourceLocation(text: owner.position).failure("the value of rac.lazy needs itself")
      }
      next = value.awaited
    }
    owner.awaited = self
  }
}
