import EventLoop
import LuaRuntime
import Reactive

/// The lines of standard input, handed to those who listen; what nobody has taken waits for the next.
/// On the loop's thread.
final class InputLines: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  private let loop: EventLoop
  private var input: StandardInput?
  private var splitter = LineSplitter()
  private var waiting: [LuaValue] = []
  private var hasEnded = false
  private var isDelivering = false
  private var listeners: [(id: Int, observer: Observer<LuaValue>)] = []
  private var lastID = 0

  init(_ loop: EventLoop) {
    self.loop = loop
  }

  var signal: Signal<LuaValue> {
    Signal { observer, subscription in self.add(observer, subscription) }
  }

  func close() {
    input?.close()
    input = nil
  }

  private func add(_ observer: Observer<LuaValue>, _ subscription: CompoundDisposable) {
    do { try open() } catch { return observer.end(.error(Failure(.input, error.description))) }
    lastID += 1
    let id = lastID
    listeners.append((id, observer))
    subscription.add {
      self.listeners.removeAll { $0.id == id }
      if self.listeners.isEmpty { self.input?.pause() }
    }
    deliver()
    if !listeners.isEmpty { input?.resume() }
  }

  private func open() throws(EventLoopError) {
    guard input == nil, !hasEnded else { return }
    input = try loop.standardInput(
      onChunk: { [unowned self] chunk in
        splitter.append(chunk, keep)
        deliver()
      },
      onEnd: { [unowned self] in
        splitter.finish(keep)
        hasEnded = true
        input = nil
        deliver()
      })
  }

  private func keep(_ line: UnsafeRawBufferPointer) {
    waiting.append(.string(LuaString(line)))
  }

  private func deliver() {
    guard !isDelivering else { return }
    isDelivering = true
    var next = 0
    while next < waiting.count, !listeners.isEmpty {
      let line = waiting[next]
      next += 1
      for (id, observer) in listeners where listeners.contains(where: { $0.id == id }) {
        observer.next(line)
      }
    }
    waiting.removeFirst(next)
    isDelivering = false
    guard hasEnded, waiting.isEmpty else { return }
    let ended = listeners
    listeners = []
    for (_, observer) in ended { observer.end(.completed) }
  }
}
