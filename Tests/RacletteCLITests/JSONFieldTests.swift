import Scripting
import Testing
import TextFiles

/// The tables of JSON fields in the guides, against what the program writes.
@Suite("JSON fields in the guides", .timeLimit(.minutes(5)))
struct JSONFieldTests {
  private static let batches = "Sources/RacletteCLI/RacletteCLI.docc/Batch"

  /// The fields in the table below a heading, without the marks of those that may be left out.
  private func documented(_ page: String, _ heading: String) throws -> Set<String> {
    let lines = try TextFile(GuidePage.path(page)).lines
    let start = try #require(lines.firstIndex(of: "### Fields of `\(heading)`"))
    let rows = lines[start...].drop { !$0.hasPrefix("|---") }.dropFirst()
      .prefix { $0.hasPrefix("|") }
    return Set(
      rows.flatMap { row in
        let cell = row.dropFirst().prefix { $0 != "|" }
        return cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
          .filter { $0.offset % 2 == 1 }.map { String($0.element) }
      })
  }

  /// The fields of a document, as the tables write them: `a.b` for one in an object, `a[].b` in a list.
  ///
  /// - Parameter closed: fields whose values are documented elsewhere, or are what a user gave.
  private func fields(
    _ json: JSONValue, closed: Set<String>, _ prefix: String = ""
  ) -> Set<String> {
    guard case .object(let fields) = json else { return [] }
    var found: Set<String> = []
    for (name, value) in fields {
      let path = prefix + name
      switch value {
      case .object where !closed.contains(path):
        found.formUnion(self.fields(value, closed: closed, path + "."))
      case .list(let elements) where !closed.contains(path):
        let inner = elements.map { self.fields($0, closed: closed, path + "[].") }
        found.formUnion(inner.allSatisfy(\.isEmpty) ? [path] : Set(inner.joined()))
      default: found.insert(path)
      }
    }
    return found
  }

  /// The fields of the documents in some lines.
  private func fields(_ lines: [String], closed: Set<String> = []) -> Set<String> {
    let found = lines.reduce(into: Set<String>()) { found, line in
      found.formUnion(JSONValue(text: line).map { fields($0, closed: closed) } ?? [])
    }
    // A list may be empty in one document, and not in another.
    return found.filter { name in !found.contains { $0.hasPrefix(name + "[].") } }
  }

  @Test("the summary of a batch, and its journal")
  func batch() async throws {
    let folder = Folder([
      "in": "1", "s.lua": "print(...)",
      "commands.lua": """
      rac.command{name = "copy", sources = "in", outputs = "out", run = "cp in out"}
      rac.command{name = "try", params = "any", run = "test -e there || { echo none >&2; exit 3; }"}
      rac.command{name = "lose", run = "rm other.db*; sleep 0.1"}
      """,
      "plan": """
      {"command": "copy"}
      {"command": "try", "id": "second", "input": {"a": 1}}
      {"script": "s.lua", "args": ["x"]}
      nothing

      """,
      "lost": """
      {"command": "lose"}
      {"command": "copy"}

      """,
    ])
    _ = await raclette("batch", "plan", "--journal", "j.db", "--summary", "1.json", in: folder)
    folder.write("", to: "there")
    _ = await raclette("batch", "plan", "--journal", "j.db", in: folder)
    _ = await raclette(
      "batch", "lost", "-j1", "--journal", "other.db", "--summary", "2.json", in: folder)
    let summary = try ["1.json", "2.json"].flatMap { try TextFile(folder[$0]).lines }
    #expect(
      fields(summary, closed: ["failures[].error", "failures[].input"])
        == (try documented(Self.batches, "--summary")))
    let history = await raclette("history", "--json", "--journal", "j.db", in: folder)
    // These come from a panel, and from a journal that machines share.
    #expect(
      fields(history.lines, closed: ["input", "args"]).union(["by", "worker"])
        == (try documented(Self.batches, "history --json")))
    let batches = await raclette("history", "--batches", "--json", "--journal", "j.db", in: folder)
    #expect(
      fields(batches.lines) == (try documented(Self.batches, "history --batches --json")))
  }

  @Test("the cache")
  func cache() async throws {
    let project = CachedProject()
    let cache = await project.run("cache", "--json")
    #expect(
      fields([cache.output]) == (try documented("Caching", "cache --json")))
  }

  @Test("an audit", .enabled(if: Strace.isAllowed))
  func audit() async throws {
    let folder = Folder(["a": "", "commands.lua": #"rac.command{name = "build", run = "cat a"}"#])
    let audit = await raclette("audit", "--json", "build", in: folder)
    #expect(
      fields(audit.lines, closed: ["input"]) == (try documented("UpToDate", "audit --json")))
  }
}
