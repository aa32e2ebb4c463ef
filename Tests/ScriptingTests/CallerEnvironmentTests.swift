import Platform
import Testing

@testable import Scripting

@Suite("The variables of callers") struct CallerEnvironmentTests {
  private let environment = CallerEnvironment(["A=1", "B=x=y", "AB="].map { Array($0.utf8) })

  private func entries(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  @Test func valuesAreBytes() {
    #expect(environment.value(of: "A") == [UInt8(ascii: "1")])
    #expect(environment.value(of: "B") == Array("x=y".utf8))
    #expect(environment.value(of: "AB") == [])
    #expect(environment.value(of: "C") == nil)
    environment.set("C", to: [0xFF, 0x80])
    #expect(environment.value(of: "C") == [0xFF, 0x80])
    environment.set("A", to: nil)
    #expect(environment.value(of: "A") == nil)
    #expect(environment.value(of: "AB") == [])
  }

  @Test func itKnowsWhatScriptsHaveChanged() {
    environment.set("A", to: [50])
    environment.set("A", to: [51])
    environment.set("B", to: nil)
    environment.set("N", to: [52])
    #expect(environment.changes.map(\.name) == ["A", "B", "N"])
    #expect(environment.changes.map(\.value) == [[51], nil, [52]])
    let originals = environment.originals.map { "\($0.name)=\(String(exactly: $0.value))" }
    #expect(originals.sorted() == ["A=1", "AB=", "B=x=y"])
  }

  @Test func itKnowsWhatScriptsHaveRead() {
    #expect(!environment.wasRead(differentlyFrom: entries("Z=1")))
    _ = environment.value(of: "A")
    _ = environment.value(of: "C")
    #expect(!environment.wasRead(differentlyFrom: entries("A=1", "Z=1")))
    #expect(environment.wasRead(differentlyFrom: entries("A=2")))
    #expect(environment.wasRead(differentlyFrom: entries("A=1", "C=")))
    #expect(environment.wasRead(differentlyFrom: []))
  }

  @Test func whatTheyHaveChangedBeforeIsNotRead() {
    environment.set("A", to: [50])
    _ = environment.value(of: "A")
    #expect(!environment.wasRead(differentlyFrom: entries("A=7")))
  }

  @Test func whoReadsAllReadsEachDifference() {
    _ = environment.variables
    #expect(!environment.wasRead(differentlyFrom: entries("AB=", "B=x=y", "A=1")))
    #expect(environment.wasRead(differentlyFrom: entries("AB=", "B=x=y", "A=1", "Z=")))
  }

  @Test func theFolderCountsOnceItIsRead() {
    let environment = CallerEnvironment([], in: "/a")
    #expect(!environment.wasRead(differentlyFrom: [], in: "/b"))
    #expect(environment.invocationFolder == "/a")
    #expect(environment.wasRead(differentlyFrom: [], in: "/b"))
    #expect(!environment.wasRead(differentlyFrom: [], in: "/a"))
  }
}
