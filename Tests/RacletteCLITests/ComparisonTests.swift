import Testing
import TextFiles

/// What `scripts/docs --check` says of comparisons with other software.
@Suite("comparisons in the documentation", .timeLimit(.minutes(5)))
struct ComparisonTests {
  private let script = TextFile.packageFolder + "/scripts/site/comparisons.py"

  @Test("are listed when they are older than 180 days")
  func old() async {
    let folder = Folder([
      "a.md": "# A\n\nCompared on 2026-01-01 with just 1.59.0 and GNU make 4.3: both differ.\n",
      "b.md": "As just 1.59 does.\n",
      "c.md": "Compared on 2026-02-30 with just 1.59.0.\n\nCompared on 2026-06-29 with just.\n",
      "d.md": "It needs Lua 5.4.\n",
    ])
    let run = await shell(
      "python3 '\(script)' 2026-06-30 a.md d.md; echo $?; python3 '\(script)' 2026-07-01 a.md b.md c.md; echo $?",
      in: folder)
    #expect(
      run.output == """
        0
        a.md:3: compared on 2026-01-01, 181 days ago
        b.md:1: a comparison without its date or its versions
        c.md:1: a comparison without its date or its versions
        c.md:3: a comparison without its date or its versions
        1

        """, "\(run)")
  }

  @Test("of this documentation have dates and versions")
  func pages() async {
    let run = await shell("python3 '\(script)' 2026-11-27", in: Folder())
    #expect(run.output == "" && run.status == 0, "\(run)")
  }
}
