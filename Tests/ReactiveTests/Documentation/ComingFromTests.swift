import Reactive
import ReactiveTesting
import Testing
import TextFiles

/// The decisions that the page for users of other libraries states, and its table of names.
@Suite("Coming from other libraries", .timeLimit(.minutes(5)))
struct ComingFromTests {
  static let page = "Sources/Reactive/Reactive.docc/ComingFrom.md"
  let lines = Log()

  @Test("Every example of the page is among these tests")
  func examples() throws {
    let guide = try Guide(Self.page)
    #expect(guide.examples.count == 8)
    #expect(try guide.examples(missingIn: #filePath) == [])
  }

  @Test("There is no subscription scheduler")
  func subscription() async {
    await onThreadOfItsOwn {
      let places = Signal<Bool>.create { subscriber in
        subscriber.sendNext(Scheduler.current == nil)
        subscriber.sendCompleted()
        return nil
      }
      places.subscribe { lines.add("outside any scheduler: \($0)") }
      lines.add("subscribed")
    }
    #expect(lines.lines == ["outside any scheduler: true", "subscribed"])
  }

  @Test("subscribeOn(.subscription) is in the background outside any scheduler, inline inside one")
  func subscriptionScheduler() async throws {
    let outside = try await Signal.try { Scheduler.current != nil }
      .subscribeOn(.subscription).firstAsync()
    #expect(outside == true)
    let scheduler = TestScheduler()
    scheduler.schedule {
      Signal.just("value").subscribeOn(.subscription).subscribe { lines.add($0) }
      lines.add("subscribed")
    }
    scheduler.advance()
    #expect(lines.lines == ["value", "subscribed"])
  }

  @Test("deliverOnMain always hops")
  func main() async {
    await withCheckedContinuation { continuation in
      let done: @Sendable () -> Void = { continuation.resume() }
      Scheduler.main.schedule {
        Signal.just("value").deliverOnMain().subscribe(
          next: { lines.add($0) }, completed: { done() })
        lines.add("after the subscription")
      }
    }
    #expect(lines.lines == ["after the subscription", "value"])
  }

  @Test("immediate.schedule(after:) does not block")
  func immediate() {
    let timer = Scheduler.immediate.schedule(after: .seconds(3600)) { lines.add("an hour later") }
    lines.add("at once")
    timer.dispose()
    #expect(lines.lines == ["at once"])
  }

  @Test("A released disposable does not cancel")
  func released() {
    let ticks = Subject<Int>()
    ticks.subscribe { lines.add("released \($0)") }
    do {
      let scoped = ticks.subscribe { lines.add("scoped \($0)") }.scoped()
      withExtendedLifetime(scoped) { ticks.sendNext(1) }
    }
    ticks.sendNext(2)
    #expect(lines.lines == ["released 1", "scoped 1", "released 2"])
  }

  @Test("A dropped replay() cancels its source")
  func replay() {
    let source = Signal<Int>.never()
    var replayed: Signal<Int>? = source.onDispose { lines.add("disposed") }.replay()
    let subscription = replayed!.subscribe()
    replayed = nil
    lines.add("a subscriber is left")
    subscription.dispose()
    #expect(lines.lines == ["a subscriber is left", "disposed"])
  }

  @Test("throttle is what others call debounce")
  func throttle() throws {
    let scheduler = TestScheduler()
    let typed = try scheduler.cold("abc---d|")
    try scheduler.expect(typed.throttle(.seconds(2), on: scheduler), "----c--(d|)")
  }

  @Test("retry(0) retries for ever, and retry(n) at most n times")
  func retry() throws {
    let scheduler = TestScheduler()
    let attempts = Counter()
    let work = Signal<Int>.defer {
      attempts.increment() < 1_000 ? .error(MarbleError.failure) : .just(7)
    }
    try scheduler.expect(work.retry(0), "(7|)")
    try scheduler.expect(Signal<Int>.error(MarbleError.failure).retry(2), "#")
    let limited = Counter()
    let failing = Signal<Int>.defer {
      limited.increment()
      return .error(MarbleError.failure)
    }
    failing.retry(2).subscribe()
    #expect(limited.value == 3)
  }

  @Test("An error without an observer is dropped")
  func errors() {
    Signal<Int>.error(MarbleError.failure).subscribe { lines.add("value \($0)") }
    lines.add("no value, no trap")
    #expect(lines.lines == ["no value, no trap"])
  }

  @Test("What is stated in short")
  func short() throws {
    let scheduler = TestScheduler()
    let values = try scheduler.cold("-a-b-c-d|")
    try scheduler.expect(values.timeout(.milliseconds(4_500), on: scheduler), "-a-b#")
    let (running, inner) = (Counter(), Signal<Int>.never())
    Signal.from([inner, inner, inner].map { $0.initially { running.increment() } })
      .flatten(0).subscribe()
    #expect(running.value == 3)
    var subject: Subject<Int>? = Subject()
    let dropped = Recorder(subject!)
    subject = nil
    #expect(dropped.isCompleted)
  }

  // MARK: The table

  private struct Row {
    let name: String
    let rac: String
  }

  private func rows() throws -> [Row] {
    try TextFile(TextFile.packageFolder + "/" + Self.page).lines
      .filter { $0.hasPrefix("| `") }
      .map { line in
        let cells = line.split(separator: "|").map { cell in
          String(
            cell.filter { $0 != "`" }.drop(while: \.isWhitespace)
              .prefix { !$0.isWhitespace })
        }
        #expect(cells.count == 5, "\(line)")
        return Row(name: cells[0], rac: cells[1])
      }
  }

  @Test("Every name of the table exists, and its source names the same method or class of RAC")
  func table() throws {
    let rows = try rows()
    #expect(rows.count > 60)
    let operators = Dictionary(grouping: try PublicOperator.all(), by: \.name)
    for row in rows {
      let comments: [String]
      if let found = operators[row.name] {
        comments = found.flatMap(\.comment)
      } else {
        comments = try declaration(of: row.name)
      }
      #expect(!comments.isEmpty, "\(row.name) does not exist")
      guard row.rac != "–" else { continue }
      let names = comments.joined(separator: " ").split { "` ,.'".contains($0) }
      #expect(names.contains { $0 == row.rac }, "\(row.name) does not tell of \(row.rac)")
    }
  }

  private func sources(below folder: String) throws -> [String] {
    try TextFile.names(inFolder: folder).flatMap { name in
      if name.hasSuffix(".swift") { return [folder + "/" + name] }
      return name.hasSuffix(".docc") ? [] : try sources(below: folder + "/" + name)
    }
  }

  /// The doc comment and the declaration of a type, or of `subscribe`, which is no operator.
  private func declaration(of name: String) throws -> [String] {
    let modules = ["Reactive", "ReactiveTesting", "Commands"].map {
      TextFile.packageFolder + "/Sources/" + $0
    }
    for path in try modules.flatMap(sources) {
      let lines = try TextFile(path).lines
      let index = lines.firstIndex { line in
        let words = line.split { !$0.isLetter }
        let keyword = words.firstIndex {
          ["class", "protocol", "struct", "enum", "func"].contains($0)
        }
        guard let keyword, words.first == "public" || words.first == "open" else { return false }
        return words.count > keyword + 1 && words[keyword + 1] == name
      }
      guard let index else { continue }
      return lines[..<index].reversed()
        .prefix {
          $0.drop(while: \.isWhitespace).hasPrefix("///") || $0.hasPrefix("@")
            || $0.hasPrefix("  @")
        }
        .reversed() + [lines[index]]
    }
    return []
  }
}

/// Runs work on a thread that belongs to no scheduler.
private func onThreadOfItsOwn(_ work: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    startThread {
      work()
      continuation.resume()
    }
  }
}
