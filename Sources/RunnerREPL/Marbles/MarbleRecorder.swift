import EventLoop
import LuaRuntime
import Reactive
import RunnerCore
import Scripting

/// Subscribes to signals and records their events on one clock.
final class MarbleRecorder: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  private(set) var tracks: [MarbleTrack]
  private var start = EventLoop.now
  private(set) var failures: [any Error] = []
  let subscription = CompoundDisposable()
  private var stopped: Duration?

  init(_ titles: [String]) {
    tracks = titles.map { MarbleTrack(title: $0) }
  }

  var now: Duration { stopped ?? (EventLoop.now - start) }
  var isOver: Bool { tracks.allSatisfy { $0.end != nil } }

  /// Subscribes to all signals at the same time.
  func record(_ signals: [Signal<LuaValue>], text: @escaping @Sendable (LuaValue) -> String) {
    start = EventLoop.now
    for (index, signal) in signals.enumerated() {
      let child = CompoundDisposable()
      subscription.add(child)
      signal.observe(
        Observer(
          next: { [unowned self] value in
            if KeyboardInterrupt.hasCome { return subscription.dispose() }
            tracks[index].add(text(value), at: now)
          },
          end: { [unowned self] termination in
            child.dispose()
            if case .error(let error) = termination { failures.append(error) }
            tracks[index].finish(termination.isError ? .failed : .completed, at: now)
          }), in: child)
    }
  }

  func stop() {
    stopped = tracks.allSatisfy { $0.end != nil } ? tracks.compactMap { $0.end?.at }.max() : now
    subscription.dispose()
  }
}

extension Termination {
  fileprivate var isError: Bool {
    if case .error = self { true } else { false }
  }
}

extension Repl {
  func marbles(_ text: String) {
    let before = workspace.jobs.latest
    guard let signals = signals(of: text) else { return }
    let parts = Self.expressions(text)
    let titles = parts.count == signals.count ? parts : signals.indices.map { "\($0 + 1)" }
    let values = values.uncolored
    let recorder = MarbleRecorder(titles)
    // Jobs that are drawn are not announced.
    let drawn = workspace.jobs.active.filter { $0.id > before }
    for job in drawn { job.isAttached = true }
    defer { for job in drawn { job.isAttached = false } }
    let style = printer.values
    let screen = LiveRows(workspace.host, isLive: editor.hasCursor) { width in
      recorder.drawing(width).map { $0.text(style, fitting: width - 1) }
    }
    recorder.record(signals.map { workspace.host.lent($0) }) { values.marble(of: $0) }
    let isInterrupted = wait { recorder.isOver }
    workspace.host.interpreter.clearInterrupt()
    recorder.stop()
    screen.finish(true)
    if !isInterrupted, !recorder.isOver, !session.isEnding {
      fail(Failure.stuck("a signal"))
    }
    for error in recorder.failures { fail(error) }
  }

  /// Splits a list of expressions into its parts, as typed.
  private static func expressions(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    var parts: [String] = []
    var start = 0
    var depth = 0
    for token in LuaTokens(bytes) {
      let word = String(decoding: bytes[token.range], as: UTF8.self)
      depth += LuaBlock.change(by: word)
      guard word == ",", depth == 0 else { continue }
      parts.append(String(decoding: bytes[start..<token.range.lowerBound], as: UTF8.self).trimmed)
      start = token.range.upperBound
    }
    return parts + [String(decoding: bytes[start...], as: UTF8.self).trimmed]
  }
}

extension MarbleRecorder {
  fileprivate func drawing(_ width: Int) -> [StyledRow] {
    MarbleDrawing(tracks: tracks, now: now, width: width).rows
  }
}
