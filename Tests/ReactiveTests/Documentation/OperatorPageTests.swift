import Platform
import Testing
import TextFiles

@Suite("The documentation of operators", .timeLimit(.minutes(5)))
struct OperatorPageTests {
  /// With `RACLETTE_WRITE_DOCS=1` in the environment the page is written instead of compared.
  @Test("The page shows the diagrams of what really happens")
  func page() async throws {
    let actual = try await OperatorPage.render()
    let page = try OperatorPage.committed()
    if getenv("RACLETTE_WRITE_DOCS").map({ String(cString: $0) }) == "1" {
      try TextFile.write(page.prose + actual, to: OperatorPage.path)
      return
    }
    #expect(
      page.generated == actual,
      """
      Operators.md differs from what the operators do; RACLETTE_WRITE_DOCS=1 writes it anew:
      \(OperatorPage.difference(committed: page.generated, actual: actual))
      """)
  }

  @Test("Every public operator has a sample")
  func samples() throws {
    let operators = try PublicOperator.all()
    #expect(operators.count > 100, "the operators are not where they were")
    let shown = Set(
      try OperatorFamily.all.flatMap(\.samples).map { sample in
        let found = try OperatorPage.documented(sample, in: operators)
        return "\(found.name) in \(found.file)"
      })
    let missing = operators.filter { !shown.contains("\($0.name) in \($0.file)") }
    #expect(missing.map(\.description) == [])
  }

  @Test("Every public operator documents its five rules")
  func headings() throws {
    let incomplete = try PublicOperator.all().filter { !$0.missingHeadings.isEmpty }
    #expect(incomplete.map { "\($0) lacks \($0.missingHeadings)" } == [])
  }
}
