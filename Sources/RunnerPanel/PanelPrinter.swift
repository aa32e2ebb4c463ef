import EventLoop
import Platform
import RunnerCore

/// Prints the events and the output of a panel as NDJSON, in the order of their numbers. On the loop's
/// thread.
///
/// It is a reader like others: a place in the ring, and one in the record of each execution. A program
/// that does not read what is printed stops nothing, and is told how much it has missed.
final class PanelPrinter: @unchecked Sendable {
  // Unchecked: confined to the main thread, where the loop runs.

  /// The size of what is written at once.
  private static let piece = 64 << 10
  /// The time that a program which reads nothing has at the end.
  private static let patience = Duration.seconds(2)

  private let feed: EventFeed
  private let loop: EventLoop
  private let writer: BackgroundWriter
  private let onFailure: (Int32) -> Void
  /// What is printed before all events.
  private var head: [UInt8] = []
  /// True once there is a head: nothing is printed before it.
  private var hasBegun = false
  private var place: Int
  /// The executions with output that has not been printed, and those that may get more.
  private var looks: [Int: EventReader.Look] = [:]
  /// The number of outputs that are no longer kept and were not printed.
  private var missed = 0
  private var isWriting = false
  private var hasFailed = false

  /// - Parameter onFailure: called with the system's error number when nothing can be printed any more.
  init(_ feed: EventFeed, _ loop: EventLoop, onFailure: @escaping (Int32) -> Void) {
    self.feed = feed
    self.loop = loop
    self.onFailure = onFailure
    place = feed.ring.end
    writer = BackgroundWriter(Terminal.valueDescriptor)
  }

  /// Prints a line before all events.
  func print(head line: String) {
    head += (line + "\n").utf8
    hasBegun = true
    printMore()
  }

  /// An event was added to the ring.
  func eventHasCome() { printMore() }

  /// An execution has just got outputs.
  func outputHasCome(to execution: PanelExecution, _ count: Int) {
    if looks[execution.id] == nil {
      looks[execution.id] = EventReader.Look(execution, from: execution.output.count - count)
    }
    printMore()
  }

  /// An execution is no longer kept.
  func forget(_ execution: PanelExecution) {
    if let look = looks.removeValue(forKey: execution.id) { missed += look.cursor.left }
  }

  /// Prints what is left, unless nobody reads it.
  func finish() {
    while !hasFailed, writer.wait(atMost: Self.patience) {
      let text = nextPiece()
      if text.isEmpty { return }
      writer.write(text) { _ in }
    }
  }

  private func printMore() {
    guard hasBegun, !isWriting, !hasFailed else { return }
    let text = nextPiece()
    if text.isEmpty { return }
    isWriting = true
    writer.write(text) { [self, loop] problem in loop.enqueue { [self] in hasWritten(problem) } }
  }

  private func hasWritten(_ problem: Int32) {
    isWriting = false
    hasFailed = problem != 0
    hasFailed ? onFailure(problem) : printMore()
  }

  private func nextPiece() -> [UInt8] {
    var text = head
    head = []
    missed += max(0, feed.ring.first - place)
    place = max(place, feed.ring.first)
    if missed > 0 {
      text += feed.gap(missed)
      text.append(10)
      missed = 0
    }
    while text.count < Self.piece {
      let event = place < feed.ring.end ? feed.ring[place].number : Int.max
      let (output, others) = earliestOutputs()
      if let output, output.number < event {
        looks[output.execution]?.read(
          to: &text, Self.piece, before: min(event, others), prefix: [], feed)
      } else if event < Int.max {
        text += feed.ring[place].bytes
        text.append(10)
        place += 1
      } else {
        break
      }
    }
    return text
  }

  /// The execution with the earliest output and the number of that, and the earliest number of the
  /// others. Forgets executions of which nothing is left.
  private func earliestOutputs() -> (first: (execution: Int, number: Int)?, others: Int) {
    var first: (execution: Int, number: Int)?
    var others = Int.max
    for id in Array(looks.keys) {
      guard let number = looks[id]?.cursor.sequence else {
        if looks[id]?.execution.isOver == true { looks[id] = nil }
        continue
      }
      if number < first?.number ?? .max {
        others = first?.number ?? .max
        first = (id, number)
      } else {
        others = min(others, number)
      }
    }
    return (first, others)
  }
}
