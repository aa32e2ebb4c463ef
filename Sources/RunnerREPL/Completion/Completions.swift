import LineEditor
import RunnerCore

/// The possible continuations of a text.
struct Completions {
  /// The matching words, in order.
  private var items: [Completion] = []
  /// The number of their characters that are already typed.
  private var typed = 0

  init() {}

  /// - Parameters:
  ///   - candidates: all possible words.
  ///   - prefix: the typed part.
  ///   - closing: the text after a word that is the only match.
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

  /// Creates completions that replace more than their typed prefix.
  init(_ items: [Completion], replacing count: Int) {
    self.items = items.sorted { $0.label < $1.label }
    typed = count
  }

  /// The same with other texts in place of what was typed.
  func map(_ text: (String) -> String) -> Completions {
    var other = self
    for index in items.indices { other.items[index].text = text(items[index].text) }
    return other
  }

  var isEmpty: Bool { items.isEmpty }

  var list: CompletionList { CompletionList(replacing: typed, items) }
}
