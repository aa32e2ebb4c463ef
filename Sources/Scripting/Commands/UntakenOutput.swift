import LuaRuntime
import Platform
import Reactive

extension ScriptHost {
  /// Shows what an execution inside another one sends while nothing takes it, as the output of the
  /// outer one. Called when its values are not for later: it is needed, its end is waited for, or
  /// nothing keeps it.
  ///
  /// The execution records which values were shown, because it replays them to those who take its
  /// values later.
  func showUntakenOutput(of script: ScriptExecution) {
    guard script.origin != script.id, script.shown == nil,
      let receiver = receiver(ofOutputOf: script)
    else { return }
    let shown = ShownOutput()
    script.shown = shown
    // What a command needs has no other receiver; the values of any other execution may still be
    // taken, and then standard error must not be among them.
    let isNeeded = script.isNeeded
    let subscription = subscriptions.makeChild()
    // What comes again now was taken if anything has taken values before.
    var isPast = script.wasTaken
    script.observe(
      Observer(
        next: onLoop { value in
          let isTaken = isPast || script.takers > 0
          shown.add(1, isShown: !isTaken)
          if !isTaken { receiver.next(value) }
        },
        batch: onLoop { (batch: Batch<LuaValue>) in
          let isTaken = isPast || script.takers > 0
          shown.add(batch.count, isShown: !isTaken)
          guard !isTaken else { return }
          if !isNeeded, let question = batch as? JoinedStreams { return question.answer(false) }
          receiver.send(batch)
        },
        end: onLoop { _ in
          receiver.end(.completed)
          subscription.dispose()
        }), in: subscription)
    isPast = false
  }

  /// Returns the receiver of output that nothing inside an execution takes: what a service needs or
  /// executes is shown where the service's own output is. Nil if it is not shown.
  private func receiver(ofOutputOf script: ScriptExecution) -> Observer<LuaValue>? {
    if let receiver = script.serviceAround?.receiver { return receiver }
    guard let receiver = observers.showsOutput(of: script.origin) else { return nil }
    guard sequence(first: script, next: \.outer).contains(where: { $0.aside != nil }) else {
      return receiver
    }
    return Observer(
      next: onLoop { value in
        script.note(.shown(value))
        receiver.next(value)
      },
      batch: onLoop { (batch: Batch<LuaValue>) in
        script.note(.shownBatch(batch))
        receiver.send(batch)
      }, end: receiver.end)
  }

  /// Returns an observer that drops the values of a signal. What processes print is shown as output of
  /// the execution whose work runs, unless a function of the script has seen it on its way.
  func dropping(_ end: @escaping @Sendable (Termination) -> Void) -> Observer<LuaValue> {
    guard let execution = context.execution,
      let receiver = receiver(ofOutputOf: execution)
    else { return Observer(next: { _ in }, end: end) }
    let source = DroppedSource()
    return Observer(
      next: onLoop { value in
        if source.isProcess, case .string = value { receiver.next(value) }
      },
      batch: onLoop { (batch: Batch<LuaValue>) in
        switch batch {
        case is JoinedStreams:
          source.isProcess = true
          receiver.send(batch)
        case is TextBatch, is UnfinishedLine, is LongString:
          if source.isProcess { receiver.send(batch) }
        default: break
        }
      },
      end: onLoop { termination in
        receiver.end(.completed)
        end(termination)
      })
  }
}

/// The source of values that are dropped. Confined to the loop's thread.
private final class DroppedSource {
  /// True once a process has asked for the receivers of its output: that question passes all operators
  /// but those that look at the values.
  var isProcess = false
}

/// The values of an execution that were shown because nothing took them. Confined to the loop's
/// thread.
final class ShownOutput {
  /// The number of values so far.
  private(set) var count = 0
  private var ranges: [Range<Int>] = []

  var isEmpty: Bool { ranges.isEmpty }

  func add(_ more: Int, isShown: Bool) {
    guard more > 0 else { return }
    let range = count..<count + more
    count = range.upperBound
    guard isShown else { return }
    if let last = ranges.last, last.upperBound == range.lowerBound {
      ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
    } else {
      ranges.append(range)
    }
  }

  func contains(_ index: Int) -> Bool { ranges.contains { $0.contains(index) } }
}

extension ScriptExecution {
  /// Sends its values to a receiver that takes them. Those that were shown come as `ShownValues`, if
  /// the receiver takes batches, so that whoever shows them shows them once.
  func sendTaken(to observer: Observer<LuaValue>, in subscription: CompoundDisposable) {
    takers += 1
    wasTaken = true
    isFollowed(in: subscription)
    let me = LoopBound(self)
    subscription.add { me.value.takers -= 1 }
    guard let shown, !shown.isEmpty, let batch = observer.batch else {
      return observe(observer, in: subscription)
    }
    // The record may have lost its oldest values.
    var index = shown.count - replayedCount
    let origin = origin
    observe(
      Observer(
        next: onLoop { value in
          defer { index += 1 }
          guard shown.contains(index) else { return observer.next(value) }
          batch(ShownValues(.one(value), in: origin))
        },
        batch: onLoop { (values: Batch<LuaValue>) in
          defer { index += values.count }
          guard values.count > 0, shown.contains(index) else { return batch(values) }
          batch(ShownValues(.several(values), in: origin))
        }, end: observer.end), in: subscription)
  }

  /// The number of values that it replays now.
  private var replayedCount: Int {
    var count = 0
    let subscription = CompoundDisposable()
    observe(
      Observer(
        next: onLoop { _ in count += 1 },
        batch: onLoop { (batch: Batch<LuaValue>) in count += batch.count }, end: { _ in }),
      in: subscription)
    subscription.dispose()
    return count
  }
}

/// Values of an execution that come again after they were shown as output of the execution around it.
/// They are ordinary values to all who do not show them.
public final class ShownValues: Batch<LuaValue>, @unchecked Sendable {
  // Unchecked only because its superclass is open: the properties that it adds are immutable.

  enum Content: Sendable {
    case one(LuaValue)
    case several(Batch<LuaValue>)
  }

  private let content: Content
  /// The id of the execution as whose output they were shown.
  private let origin: Int

  init(_ content: Content, in origin: Int) {
    self.content = content
    self.origin = origin
    switch content {
    case .one: super.init(count: 1)
    case .several(let batch): super.init(count: batch.count, valueWeight: batch.valueWeight)
    }
  }

  /// The batch that they were at first; nil for a single value.
  var batch: Batch<LuaValue>? {
    if case .several(let batch) = content { batch } else { nil }
  }

  /// Sends them as they came first, unless they were shown as output of this execution.
  public func send(to observer: Observer<LuaValue>, showing execution: Int?) {
    guard origin != execution else { return }
    switch content {
    case .one(let value): observer.next(value)
    case .several(let batch): observer.send(batch)
    }
  }

  public override func forEach(
    from start: Int, while condition: () -> Bool, _ body: (LuaValue) -> Void
  ) {
    switch content {
    case .one(let value): if start == 0, condition() { body(value) }
    case .several(let batch): batch.forEach(from: start, while: condition, body)
    }
  }
}

extension Observer<LuaValue> {
  fileprivate func send(_ values: Batch<LuaValue>) {
    if let batch { batch(values) } else { values.forEach(next) }
  }
}
