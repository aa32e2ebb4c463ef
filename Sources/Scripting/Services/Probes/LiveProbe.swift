import EventLoop
import LuaRuntime
import Platform
import Reactive

/// Asks a probe again and again for one subscription, and reports each change of its answer. Confined
/// to the loop's thread.
final class LiveProbe {
  private let loop: EventLoop
  private let ask: (CompoundDisposable, @escaping (ProbeAnswer) -> Void) -> Void
  private let onAnswer: (ProbeAnswer) -> Void
  private let subscription: CompoundDisposable
  private var pace: ProbePace
  private let timer = SerialDisposable()

  /// - Parameters:
  ///   - ask: asks once, and calls the function that it is given once, never from inside.
  ///   - onAnswer: receives each answer.
  init(
    _ loop: EventLoop, in subscription: CompoundDisposable,
    asking ask: @escaping (CompoundDisposable, @escaping (ProbeAnswer) -> Void) -> Void,
    onAnswer: @escaping (ProbeAnswer) -> Void
  ) {
    self.loop = loop
    self.ask = ask
    self.onAnswer = onAnswer
    self.subscription = subscription
    pace = ProbePace(now: EventLoop.now)
    subscription.add(timer)
  }

  func start() {
    guard !subscription.isDisposed else { return }
    let question = subscription.makeChild()
    ask(question) { [self] answer in
      question.dispose()
      guard !subscription.isDisposed else { return }
      onAnswer(answer)
      guard !subscription.isDisposed else { return }
      let next = loop.timer(at: pace.next(after: answer.isYes, now: EventLoop.now)) { [self] in
        start()
      }
      timer.inner = ActionDisposable(onLoop { next.cancel() })
    }
  }
}

extension ScriptHost {
  /// Whether a server answers as it should: now, and at each change.
  func answers(of probe: ServerProbe) -> Signal<LuaValue> {
    receiving(
      Signal { [loop] observer, subscription in
        var last: Bool?
        LiveProbe(
          loop, in: subscription, asking: { probe.ask(on: loop, in: $0, $1) },
          onAnswer: { answer in
            guard answer.isYes != last else { return }
            last = answer.isYes
            observer.next(.bool(answer.isYes))
          }
        ).start()
      })
  }
}
