import LineEditor

/// The words that a text may be continued with.
struct Completions {
  /// The words that fit, in order.
  private var items: [Completion] = []
  /// How much of them is there already, in characters.
  private var typed = 0

  init() {}

  /// - Parameters:
  ///   - candidates: all words that could stand there.
  ///   - prefix: what is typed of one.
  ///   - closing: what follows a word that is the only one.
  init(
    _ candidates: some Sequence<Completion>, typed prefix: String,
    closing: (String) -> String = { _ in "" }
  ) {
    var seen: Set<String> = []
    items = candidates.filter { $0.text.hasPrefix(prefix) && seen.insert($0.text).inserted }
      .sorted { $0.text < $1.text }
    typed = prefix.count
    if items.count == 1 { items[0].text += closing(items[0].text) }
  }

  /// The same for words that need no explanation.
  init(
    _ candidates: some Sequence<String>, typed prefix: String,
    closing: (String) -> String = { _ in "" }
  ) {
    self.init(candidates.map { Completion($0) }, typed: prefix, closing: closing)
  }

  /// Ways to go on that take the place of more than what they begin with.
  init(_ items: [Completion], replacing count: Int) {
    self.items = items.sorted { $0.label < $1.label }
    typed = count
  }

  var isEmpty: Bool { items.isEmpty }

  var list: CompletionList { CompletionList(replacing: typed, items) }
}
