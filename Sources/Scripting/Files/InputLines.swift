import EventLoop
import LuaRuntime
import Platform
import Reactive

/// Delivers the lines of standard input to listeners. A line without a listener waits for the next
/// listener, and reading stops while too much waits. Confined to the loop's thread.
final class InputLines {
  private unowned(unsafe) let host: ScriptHost
  private var input: StandardInput?
  private var splitter = LineSplitter(limit: longestLine)
  private var waiting: [(value: LuaString, endsLine: Bool)] = []
  /// The termination of the input.
  private var end: Termination?
  private var isDelivering = false
  private var listeners: [(id: Int, observer: Observer<LuaValue>)] = []
  private var lastID = 0
  /// True while other code reads standard input.
  var isHeld = false {
    didSet { if isHeld { input?.pause() } else { goOn() } }
  }
  private lazy var backlog = Backpressure(host) { [weak self] in self?.goOn() }

  init(_ host: ScriptHost) {
    self.host = host
  }

  var signal: Signal<LuaValue> {
    Signal(source: onLoop(add))
  }

  func close() {
    input?.close()
    input = nil
  }

  private func add(_ observer: Observer<LuaValue>, _ subscription: CompoundDisposable) {
    do { try open() } catch { return observer.end(.error(failure(error))) }
    lastID += 1
    let id = lastID
    listeners.append((id, observer))
    subscription.add(
      onLoop {
        self.listeners.removeAll { $0.id == id }
        if self.listeners.isEmpty { self.input?.pause() }
      })
    goOn()
  }

  private func failure(_ error: EventLoopError) -> Failure {
    Failure(.input, error.description)
  }

  private func open() throws(EventLoopError) {
    guard input == nil, end == nil else { return }
    input = try host.loop.standardInput(
      onChunk: { [unowned self] chunk in
        splitter.append(chunk) { piece in
          keep(piece)
          return true
        }
        deliver()
      },
      onEnd: { [unowned self] error in
        splitter.finish { keep(($0, endsLine: false)) }
        end = error.map { .error(failure($0)) } ?? .completed
        input = nil
        deliver()
      })
  }

  private func keep(_ piece: LineSplitter.Piece) {
    waiting.append((LuaString(piece.bytes), piece.endsLine))
  }

  private func goOn() {
    deliver()
    if !listeners.isEmpty, waiting.isEmpty, !isHeld { input?.resume() }
  }

  private func deliver() {
    guard !isDelivering else { return }
    isDelivering = true
    var next = 0
    backlog.whileSending {
      while next < waiting.count, !listeners.isEmpty, !backlog.isFull {
        let line = waiting[next]
        next += 1
        for (id, observer) in listeners where listeners.contains(where: { $0.id == id }) {
          if line.endsLine {
            observer.next(.string(line.value))
          } else {
            line.value.withUnsafeBytes { observer.send(chunk: $0) }
          }
        }
      }
    }
    waiting.removeFirst(next)
    isDelivering = false
    if !waiting.isEmpty { input?.pause() }
    guard let end, waiting.isEmpty else { return }
    let ended = listeners
    listeners = []
    // At a terminal, Ctrl-D ends what reads now, and a later listener reads on.
    if case .completed = end, isatty(STDIN_FILENO) == 1 {
      self.end = nil
      splitter = LineSplitter(limit: longestLine)
    }
    for (_, observer) in ended { observer.end(end) }
  }
}
