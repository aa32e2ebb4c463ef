import Reactive
import ReactiveTesting
import Testing

@Suite("Disposables")
struct DisposablesTests {
  let log = Log()

  private func entry(_ name: String) -> ActionDisposable {
    ActionDisposable { [log] in log.add(name) }
  }

  @Test("An action runs once and is released")
  func action() {
    let lives = Lives()
    let disposable = ActionDisposable { [token = lives.token(), log] in
      token.touch()
      log.add("run")
    }
    #expect(!disposable.isDisposed)
    disposable.dispose()
    disposable.dispose()
    #expect(disposable.isDisposed)
    #expect(log.lines == ["run"])
    #expect(lives.count == 0)
  }

  @Test("An action that disposes itself again runs once")
  func reentrant() {
    let held = Held<ActionDisposable>()
    let disposable = ActionDisposable { [log] in
      held.value?.dispose()
      log.add("run")
    }
    held.value = disposable
    disposable.dispose()
    #expect(log.lines == ["run"])
  }

  @Test("A scoped disposable disposes when it is released, or before")
  func scoped() {
    do {
      let scope = entry("released").scoped()
      #expect(!scope.isDisposed)
    }
    let scope = entry("disposed").scoped()
    scope.dispose()
    #expect(log.lines == ["released", "disposed"])
  }

  @Test("Replacing the disposable of a serial one disposes the one before")
  func serial() {
    let serial = SerialDisposable(entry("a"))
    serial.inner = entry("b")
    #expect(log.lines == ["a"])
    serial.dispose()
    #expect(log.lines == ["a", "b"])
    serial.inner = entry("late")
    #expect(log.lines == ["a", "b", "late"])
    #expect(serial.isDisposed)
  }

  @Test("A compound disposes everything once, in the order of addition")
  func compound() {
    let compound = CompoundDisposable([entry("a"), entry("b")])
    compound.add { [log] in log.add("c") }
    compound.dispose()
    compound.dispose()
    #expect(log.lines == ["a", "b", "c"])
  }

  @Test("Additions after removals keep the order of addition")
  func orderAfterRemoval() {
    let gone = [entry("gone"), entry("gone too")]
    let compound = CompoundDisposable([gone[0], entry("a"), gone[1], entry("b")])
    for disposable in gone { compound.remove(disposable) }
    for name in ["c", "d", "e"] { compound.add(entry(name)) }
    compound.dispose()
    #expect(log.lines == ["a", "b", "c", "d", "e"])
  }

  @Test("A child that was taken out takes nobody's place with it when it ends")
  func removedChild() {
    let compound = CompoundDisposable()
    let child = compound.makeChild()
    compound.remove(child)
    compound.add(entry("kept"))
    child.dispose()
    compound.dispose()
    #expect(log.lines == ["kept"])
  }

  @Test("A late addition to a disposed compound is disposed at once")
  func late() {
    let compound = CompoundDisposable()
    compound.dispose()
    compound.add(entry("a"))
    compound.add { [log] in log.add("b") }
    #expect(log.lines == ["a", "b"])
  }

  @Test("What was removed from a compound is not disposed", arguments: [0, 1, 2])
  func removal(index: Int) {
    let entries = ["a", "b", "c"].map { entry($0) }
    let compound = CompoundDisposable(entries)
    compound.remove(entries[index])
    compound.remove(entries[index])
    compound.dispose()
    #expect(log.lines == ["a", "b", "c"].filter { $0 != ["a", "b", "c"][index] })
  }

  @Test("Removing what is not in a compound does nothing")
  func foreign() {
    let compound = CompoundDisposable([entry("a")])
    compound.remove(entry("x"))
    compound.dispose()
    #expect(log.lines == ["a"])
  }

  @Test("An entry may add to the compound and dispose it while it is disposed")
  func nested() {
    let compound = CompoundDisposable()
    compound.add { [log] in
      compound.dispose()
      compound.add { log.add("inner") }
      log.add("outer")
    }
    compound.dispose()
    #expect(log.lines == ["inner", "outer"])
  }

  @Test("Disposal releases the entries; removal releases one")
  func release() {
    let lives = Lives()
    let compound = CompoundDisposable()
    let entries = (0..<3).map { _ in
      ActionDisposable { [token = lives.token()] in token.touch() }
    }
    for entry in entries { compound.add(entry) }
    compound.add { [token = lives.token()] in token.touch() }
    #expect(lives.count == 4)
    compound.dispose()
    #expect(lives.count == 0)
    withExtendedLifetime(entries) {}
  }

  @Test(
    "However threads add, remove and dispose, each entry is disposed once unless it was removed",
    .timeLimit(.minutes(5)))
  func contention() async {
    for _ in 0..<300 {
      let compound = CompoundDisposable()
      let disposed = Counter()
      let removed = Counter()
      let added = Counter()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 {
          group.addTask {
            for step in 0..<20 {
              let gone = Counter()
              let entry = ActionDisposable {
                gone.increment()
                disposed.increment()
              }
              added.increment()
              compound.add(entry)
              guard step % 2 == 0 else { continue }
              compound.remove(entry)
              // Whoever took it out: it is disposed by the compound or never.
              if gone.value == 0 { removed.increment() }
            }
          }
        }
        group.addTask { compound.dispose() }
      }
      #expect(disposed.value <= added.value)
      #expect(disposed.value + removed.value >= added.value)
    }
  }

  @Test("swapInner hands out what was held without disposing it")
  func swap() {
    let (first, second, third) = (entry("first"), entry("second"), entry("third"))
    let serial = SerialDisposable(first)
    #expect(serial.swapInner(second) === first)
    #expect(log.lines == [])
    #expect(serial.inner === second)
    #expect(serial.swapInner(nil) === second)
    #expect(serial.swapInner(third) == nil)
    serial.dispose()
    #expect(log.lines == ["third"])
  }

  @Test("swapInner on a disposed serial disposable disposes the new one at once")
  func lateSwap() {
    let serial = SerialDisposable(entry("first"))
    serial.dispose()
    #expect(serial.swapInner(entry("late")) == nil)
    #expect(log.lines == ["first", "late"])
  }

  @Test("Each disposable comes out of swapInner once, whatever the number of threads")
  func swaps() async {
    let serial = SerialDisposable()
    let (made, out) = (Counter(), Counter())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<1_000 {
            made.increment()
            if serial.swapInner(ActionDisposable {}) != nil { out.increment() }
          }
        }
      }
    }
    #expect(made.value == out.value + 1)
  }
}
