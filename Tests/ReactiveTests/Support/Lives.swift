/// Counts objects that are alive: what closures capture to show when they are released.
final class Lives: Sendable {
  private let born = Counter()
  private let gone = Counter()

  var count: Int { born.value - gone.value }

  func token() -> Token {
    born.increment()
    return Token(gone)
  }

  final class Token: Sendable {
    private let gone: Counter

    init(_ gone: Counter) {
      self.gone = gone
    }

    deinit {
      gone.increment()
    }

    func touch() {}
  }
}
