import Testing

@testable import RunnerCore

@Suite("files that their loads change") struct SelfChangesTests {
  @Test("are found in three loads that began when nobody changed them")
  func found() {
    var changes = SelfChanges()
    #expect(changes.loaded(changing: ["a", "b"], afterQuiet: false) == [])
    #expect(!changes.areLikely)
    changes.abandoned()
    #expect(changes.areLikely)
    #expect(changes.loaded(changing: ["a", "b"], afterQuiet: true) == [])
    #expect(changes.loaded(changing: ["a", "b"], afterQuiet: true) == [])
    // Somebody edits another one.
    #expect(changes.loaded(changing: ["a", "c"], afterQuiet: true) == ["a"])
    #expect(changes.files == ["a"])
    // The next loads need not wait, and find nothing new.
    #expect(changes.loaded(changing: ["a"], afterQuiet: false) == [])
    #expect(!changes.areLikely)
  }

  @Test("are not those that somebody edits meanwhile")
  func edited() {
    var changes = SelfChanges()
    for _ in 0..<5 {
      #expect(changes.loaded(changing: ["a"], afterQuiet: false) == [])
      changes.abandoned()
    }
    #expect(changes.loaded(changing: ["a"], afterQuiet: true) == [])
    #expect(changes.loaded(changing: ["b"], afterQuiet: true) == [])
    #expect(changes.loaded(changing: ["a"], afterQuiet: false) == [])
    #expect(changes.loaded(changing: ["a"], afterQuiet: true) == [])
    #expect(changes.loaded(changing: [], afterQuiet: true) == [])
    #expect(!changes.areLikely && changes.files == [])
  }
}
