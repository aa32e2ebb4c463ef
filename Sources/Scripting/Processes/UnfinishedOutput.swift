import EventLoop
import LuaRuntime
import Reactive
import Synchronization

private let sourceCount = Atomic<Int>(0)

/// Shows the line that a process has begun and not ended, within a tenth of a second. Confined to the
/// loop's thread.
///
/// It costs one timer for as long as a line stays unfinished, and nothing for each line.
final class UnfinishedOutput {
  private static let delay = Duration.milliseconds(50)

  private let loop: EventLoop
  private let observer: Observer<LuaValue>
  private var timer: Timer?
  /// The number of bytes of the present line that were shown.
  private var shown = 0
  private let source = sourceCount.add(1, ordering: .relaxed).newValue

  init(_ loop: EventLoop, _ observer: Observer<LuaValue>) {
    self.loop = loop
    self.observer = observer
  }

  /// Called after each chunk.
  ///
  /// - Parameter line: returns the bytes of the unfinished line, at the time when they are shown.
  func follow(_ isUnfinished: Bool, _ line: @escaping () -> [UInt8]) {
    guard isUnfinished, timer == nil, observer.batch != nil else { return }
    let timer = loop.timer(after: Self.delay) { [weak self] in self?.show(line()) }
    timer.unref()
    self.timer = timer
  }

  private func show(_ line: [UInt8]) {
    timer = nil
    guard line.count > shown else { return }
    observer.batch?(UnfinishedLine(Array(line[shown...]), at: shown, from: source))
    shown = line.count
  }

  /// Called when a line or a piece of it has been sent as a value.
  func lineSent() { shown = 0 }

  func stop() {
    timer?.cancel()
    timer = nil
  }
}
