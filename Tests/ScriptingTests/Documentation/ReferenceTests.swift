import Platform
import Testing
import TextFiles

@testable import Scripting

@Suite("The reference", .timeLimit(.minutes(5))) struct ReferenceTests {
  static let catalog = TextFile.packageFolder + "/Sources/Scripting/Scripting.docc"

  /// With `RACLETTE_WRITE_DOCS=1` in the environment the pages are written instead of compared.
  @Test("shows what the table of the API says", arguments: ReferencePage.all.map(\.file))
  func page(_ file: String) throws {
    let page = try #require(ReferencePage.all.first { $0.file == file })
    let path = "\(Self.catalog)/\(file).md"
    if getenv("RACLETTE_WRITE_DOCS").map({ String(cString: $0) }) == "1" {
      return try TextFile.write(page.lines, to: path)
    }
    let committed = try TextFile(path).lines
    let changes = page.lines.difference(from: committed).map { "\($0)" }
    #expect(changes == [], "RACLETTE_WRITE_DOCS=1 swift test writes the page anew")
  }

  @Test func tellsOfEverythingOnce() {
    let told = ReferencePage.all.flatMap(\.sections).flatMap(\.names)
    #expect(told.count == Set(told).count)
    let missing = LibraryTests.described.union(Library.records.map(\.name)).subtracting(told)
    #expect(missing == Set(Library.modules.map(\.path)))
  }

  @Test func theOverviewNamesEveryNameOfRacAndLinksEveryPage() throws {
    let path = TextFile.packageFolder + "/Sources/RacletteCLI/RacletteCLI.docc/Overview.md"
    let overview = try TextFile(path).lines.joined(separator: "\n")
    let names =
      Library.functions.map(\.name) + Library.root.fields.map(\.name)
      + Library.modules.map(\.name)
    #expect(names.filter { !overview.contains("`\($0)`") } == [])
    let pages = try TextFile.names(inFolder: Self.catalog).filter {
      $0.hasSuffix(".md") && $0 != "Scripting.md"
    }
    #expect(pages.filter { !overview.contains("](../../Scripting/Scripting.docc/\($0))") } == [])
  }

  private static let examples = LibraryTests.entries.reduce(into: [:]) {
    $0[$1.name] = $1.function.example
  }

  @Test("does what its examples say", arguments: examples.keys.sorted())
  func example(_ name: String) throws {
    let example = try #require(Self.examples[name]).split(separator: "\n").map(String.init)
    let expected = example.filter { $0.hasPrefix("-->") }.map { $0.dropFirst(4) }
    let code = example.filter { !$0.hasPrefix("-->") }.joined(separator: "\n")
    #expect(try Script.lines(code).joined(separator: ", ") == expected.joined(separator: ", "))
    #expect(example.allSatisfy { $0.count <= 100 })
  }

  @Test func hasAnExampleForEveryFunction() {
    let others: Set = ["rac.stdin"]
    #expect(LibraryTests.functions.subtracting(Self.examples.keys) == others)
  }
}
