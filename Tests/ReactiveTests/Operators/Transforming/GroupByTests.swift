import Reactive
import ReactiveTesting
import Testing

@Suite("groupBy")
struct GroupByTests {
  @Test("Each new key begins a group before its first value is sent on it")
  func values() {
    let log = Log()
    let source = Subject<Int>()
    source.groupBy({ $0 % 2 }, transform: { "v\($0)" }).subscribe(next: { group in
      log.add("group \(group.key)")
      group.subscribe(next: { log.add("\(group.key): \($0)") })
    })
    for value in [1, 2, 3, 4] { source.sendNext(value) }
    #expect(
      log.lines == ["group 1", "1: v1", "group 0", "0: v2", "1: v3", "0: v4"])
  }

  @Test(
    "The groups end in the order in which they began, then the signal", arguments: [true, false])
  func ends(completes: Bool) {
    let log = Log()
    let source = Subject<Int>()
    source.groupBy { $0 }.subscribe(
      next: { group in
        group.subscribe(
          error: { _ in log.add("error \(group.key)") },
          completed: { log.add("completed \(group.key)") })
      },
      error: { _ in log.add("error") },
      completed: { log.add("completed") })
    for value in [5, 3, 9, 1] { source.sendNext(value) }
    if completes { source.sendCompleted() } else { source.sendError(MarbleError.failure) }
    let end = completes ? "completed" : "error"
    #expect(log.lines == ["\(end) 5", "\(end) 3", "\(end) 9", "\(end) 1", end])
  }

  @Test("A group is hot: a late subscriber gets what comes then, and the end")
  func late() {
    let source = Subject<Int>()
    let groups = Recorder(source.groupBy { $0 % 2 })
    source.sendNext(1)
    let late = Recorder(groups.values[0])
    source.sendNext(3)
    source.sendCompleted()
    #expect(late.diagram == "(3|)")
    #expect(Recorder(groups.values[0]).diagram == "|")
  }

  @Test("Disposal disposes the source, and the groups complete")
  func disposal() {
    let source = Subject<Int>()
    let group = Held<Recorder<Int>>()
    let subscription = source.groupBy { $0 % 2 }.subscribe(next: { group.value = Recorder($0) })
    source.sendNext(1)
    subscription.dispose()
    source.sendNext(3)
    #expect(group.value?.diagram == "(1|)")
  }
}
