import Reactive
import ReactiveTesting
import Synchronization

/// What happens in one row of a diagram.
final class Timeline: Sendable {
  private let scheduler: TestScheduler
  private let marbles: Mutex<MarbleDiagram>
  private let recorded: (@Sendable () -> MarbleDiagram)?

  init(
    _ scheduler: TestScheduler, _ marbles: MarbleDiagram = MarbleDiagram(),
    recorded: (@Sendable () -> MarbleDiagram)? = nil
  ) {
    self.scheduler = scheduler
    self.marbles = Mutex(marbles)
    self.recorded = recorded
  }

  /// The frames so far; a subscription in the first one goes without saying.
  var frames: [[MarbleDiagram.Mark]] {
    var frames = (recorded?() ?? marbles.withLock { $0 }).frames
    if let first = frames.first { frames[0] = first.filter { $0 != .subscription } }
    return frames
  }

  func note(_ mark: MarbleDiagram.Mark) {
    let frame = scheduler.currentFrame
    marbles.withLock { marbles in
      while marbles.frames.count <= frame { marbles.frames.append([]) }
      marbles.frames[frame].append(mark)
    }
  }

  /// The same signal; what happens to its subscriptions is noted.
  func watch<Value>(_ signal: Signal<Value>) -> Signal<Value> {
    Signal { [self] observer, subscription in
      let hasEnded = Held(false)
      note(.subscription)
      subscription.add { if hasEnded.value != true { self.note(.disposal) } }
      signal.observe(
        Observer(
          next: { value in
            self.note(.value(MarbleDiagram.text(ofValue: value)))
            observer.next(value)
          },
          end: { termination in
            hasEnded.value = true
            switch termination {
            case .completed: self.note(.completed)
            case .error: self.note(.error)
            }
            observer.end(termination)
          }), in: subscription)
    }
  }
}

/// Rows of frames as text, with each frame below the same one of the row above. A row that has not
/// ended goes on to the edge.
struct FrameTable {
  let lines: [String]

  init(_ rows: [[[MarbleDiagram.Mark]]]) {
    let shortest = 6
    let length = max(rows.map(\.count).max() ?? 0, shortest)
    let columns = rows.map { row in
      (0..<(Self.isOpen(row) ? length : row.count)).map { number in
        MarbleDiagram.text(ofFrame: number < row.count ? row[number] : [])
      }
    }
    let widths = (0..<length).map { number in
      columns.map { number < $0.count ? $0[number].count : 0 }.max() ?? 0
    }
    lines = columns.map { row in
      let cells = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.count)
      }
      return String(cells.joined().reversed().drop { $0 == " " }.reversed())
    }
  }

  private static func isOpen(_ row: [[MarbleDiagram.Mark]]) -> Bool {
    let ends: [MarbleDiagram.Mark] = [.completed, .error, .disposal]
    guard let last = row.last(where: { !$0.isEmpty })?.last else { return true }
    return !ends.contains(last)
  }
}

extension MarbleDiagram {
  fileprivate static func text(ofFrame marks: [Mark]) -> String {
    marks.isEmpty ? "-" : MarbleDiagram(frames: [[], marks]).description.dropFirst().description
  }
}
