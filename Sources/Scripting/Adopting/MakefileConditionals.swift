/// The conditionals around a line of a Makefile: `ifeq`, `ifdef` and their like.
struct MakefileConditionals {
  private struct Level {
    /// True if the branch counts; nil if make has to compute that.
    var counts: Bool?
    /// True if an earlier branch counts.
    var hasEarlier: Bool? = false
  }

  private var levels: [Level] = []

  var depth: Int { levels.count }
  /// False in a branch that make leaves out.
  var isRead: Bool { levels.allSatisfy { $0.counts != false } }
  /// True if the next `else` can have a branch that counts.
  var isElseRead: Bool { levels.dropLast().allSatisfy { $0.counts != false } }
  /// True if make reads the line under all circumstances.
  var isCertain: Bool { levels.allSatisfy { $0.counts == true } }

  mutating func begin(_ condition: Bool?) { levels.append(Level(counts: condition)) }

  /// Enters the branch behind an `else`, which may have a condition of its own.
  mutating func change(to condition: Bool?) {
    guard var level = levels.popLast() else { return }
    switch (level.hasEarlier, level.counts) {
    case (true, _), (_, true): level.hasEarlier = true
    case (false, false): level.hasEarlier = false
    default: level.hasEarlier = nil
    }
    switch (level.hasEarlier, condition) {
    case (true, _), (_, false): level.counts = false
    case (false, true): level.counts = true
    default: level.counts = nil
    }
    levels.append(level)
  }

  /// Leaves conditionals until no more than so many are left.
  mutating func end(to depth: Int) { levels.removeLast(max(0, levels.count - depth)) }
}
