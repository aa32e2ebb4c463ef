import Reactive
import ReactiveTesting

/// An operator in the catalogue, from which come its diagram on the documentation page and the tests of
/// the laws that all operators follow.
struct OperatorSample: Sendable {
  /// The heading.
  let title: String
  /// The name of the function whose doc comment says what the operator means, with its labels where
  /// there are several of that name.
  let declaration: String
  /// The source file of the function, where the name alone does not tell.
  let file: String?
  /// How many frames are played.
  let frames: Int
  /// The operator for the tests of operators that may have another source; nil if it takes none.
  let law: OperatorCase?
  /// The operator for the tests of operators that pass on the values of one source.
  let singleSource: SingleSourceOperator?
  /// Prepares sources, applies the operator and records what comes of it.
  let prepare: @Sendable (SampleStage) async throws -> Void

  init(
    _ title: String, of declaration: String? = nil, in file: String? = nil, frames: Int = 14,
    singleSource: (@Sendable (Signal<Int>, TestScheduler) -> Signal<Int>)? = nil,
    _ prepare: @escaping @Sendable (SampleStage) async throws -> Void
  ) {
    self.title = title
    self.declaration = declaration ?? title
    self.file = file
    self.frames = frames
    law = nil
    self.singleSource = singleSource.map { SingleSourceOperator(title, $0) }
    self.prepare = prepare
  }

  init<Result>(
    _ title: String, of declaration: String? = nil, in file: String? = nil, frames: Int = 14,
    law: @escaping @Sendable (Signal<Int>, Signal<Int>) -> Signal<Result>,
    _ prepare: @escaping @Sendable (SampleStage) async throws -> Void
  ) {
    self.title = title
    self.declaration = declaration ?? title
    self.file = file
    self.frames = frames
    self.law = OperatorCase(title, law)
    singleSource = nil
    self.prepare = prepare
  }
}

/// Operators that belong together, in the order of the page.
struct OperatorFamily: Sendable {
  let title: String
  let samples: [OperatorSample]

  static let all: [OperatorFamily] = [
    construction, transforming, combining, limiting, errors, effects, scheduling, multicasting,
  ]
}
