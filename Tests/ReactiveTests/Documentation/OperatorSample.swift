/// An operator at work, for its diagram on the documentation page.
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
  /// Prepares sources, applies the operator and records what comes of it.
  let prepare: @Sendable (SampleStage) async throws -> Void

  init(
    _ title: String, of declaration: String? = nil, in file: String? = nil, frames: Int = 14,
    _ prepare: @escaping @Sendable (SampleStage) async throws -> Void
  ) {
    self.title = title
    self.declaration = declaration ?? title
    self.file = file
    self.frames = frames
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
