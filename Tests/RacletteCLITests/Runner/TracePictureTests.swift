import Platform
import Testing
import TextFiles

/// The guide's picture of a trace over three processes.
@Suite("the picture of a trace", .timeLimit(.minutes(1)))
struct TracePictureTests {
  private static let path =
    TextFile.packageFolder + "/Sources/RacletteCLI/RacletteCLI.docc/trace.svg"

  /// The times of each run are others: what is compared is the spans, their order and their processes.
  ///
  /// With `RACLETTE_WRITE_DOCS=1` in the environment a picture that differs is drawn anew.
  @Test("has the spans of a run that executes Raclette in two folders")
  func picture() async throws {
    let folder = Folder([
      "commands.lua": """
      rac.command{name = "api", run = "cd api && exec raclette test"}
      rac.command{name = "site", run = "cd site && exec raclette test"}
      rac.command{name = "release", needs = {"api", "site"}, run = "sh upload.sh"}
      """,
      "api/commands.lua": """
      rac.command{name = "migrate", run = "sleep 0.12"}
      rac.command{name = "test", needs = {"migrate"}, run = "sleep 0.4"}
      """,
      "site/commands.lua": """
      rac.command{name = "test", retry = {times = 1},
        run = "sleep 0.15; mkdir built || exit 0; exit 1"}
      """,
      "upload.sh": "sleep 0.1\n",
    ])
    let collector = Collector(in: folder)
    let run = await shell(
      "OTEL_EXPORTER_OTLP_ENDPOINT=\(collector.address) raclette release", in: folder)
    #expect(run.status == 0, "\(run)")
    let lines = TracePicture(collector.spans()).lines
    let committed = (try? TextFile(Self.path).lines) ?? []
    let (drawn, expected) = (lines.map(withoutTimes), committed.map(withoutTimes))
    if drawn != expected, getenv("RACLETTE_WRITE_DOCS").map({ String(cString: $0) }) == "1" {
      return try TextFile.write(lines, to: Self.path)
    }
    #expect(drawn == expected, "RACLETTE_WRITE_DOCS=1 swift test draws the picture anew")
  }

  private func withoutTimes(_ line: String) -> String {
    line.replacing(/x="[0-9.]+" width="[0-9.]+"/, with: "").replacing(/[0-9]+ ms/, with: "")
  }
}

/// Draws a trace as its viewers do: a row for each span below its parent, with a bar for its time.
struct TracePicture {
  let lines: [String]

  private static let colors = ["#2f6fde", "#24844a", "#b3641c", "#8250b8"]
  private static let (row, top, names, bars) = (22, 10, 290, 330)

  init(_ spans: [ReceivedSpan]) {
    let rows = Self.rows(spans)
    let start = spans.map(\.start).min() ?? 0
    let length = Double(max(1, (spans.map(\.end).max() ?? 1) - start))
    var processes: [String] = []
    for (span, _) in rows where !processes.contains(span.process) {
      processes.append(span.process)
    }
    let height = Self.top * 2 + rows.count * Self.row
    var lines = [
      #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 \#(height)" width="700" "#
        + #"height="\#(height)" role="img" aria-label="A trace: the spans of \#(processes.count) "#
        + #"processes of Raclette, each below the span that has started it">"#,
      "<style>text{font:12px system-ui,sans-serif;fill:#24292f}.t{fill:#57606a}</style>",
      ##"<rect width="100%" height="100%" rx="8" fill="#f6f8fa"/>"##,
    ]
    for (index, (span, depth)) in rows.enumerated() {
      let y = Self.top + index * Self.row
      let offset = Double(span.start - start) / length * Double(Self.bars)
      let width = max(2, Double(span.end - span.start) / length * Double(Self.bars))
      let color = Self.colors[
        (processes.firstIndex(of: span.process) ?? 0) % Self.colors.count]
      let mark = span.text.contains(" error: ") ? ##" stroke="#d1242f" stroke-width="2""## : ""
      lines += [
        #"<text x="\#(14 + depth * 14)" y="\#(y + 15)">\#(Self.escaped(span.name))</text>"#,
        "<rect x=\"\(Double(Self.names) + offset.rounded())\" width=\"\(width.rounded())\""
          + " y=\"\(y + 4)\" height=\"14\" rx=\"3\" fill=\"\(color)\"\(mark)/>",
        "<text class=\"t\" x=\"686\" y=\"\(y + 15)\" text-anchor=\"end\">"
          + "\((span.end - span.start) / 1_000_000) ms</text>",
      ]
    }
    self.lines = lines + ["</svg>", ""]
  }

  /// The spans, each below its parent, in the order in which they began.
  private static func rows(_ spans: [ReceivedSpan]) -> [(ReceivedSpan, depth: Int)] {
    let ids = Set(spans.map(\.id))
    func rows(_ span: ReceivedSpan, _ depth: Int) -> [(ReceivedSpan, depth: Int)] {
      let inner = spans.filter { $0.parent == span.id }.sorted { $0.start < $1.start }
      return [(span, depth)] + inner.flatMap { rows($0, depth + 1) }
    }
    return spans.filter { !ids.contains($0.parent ?? "") }.flatMap { rows($0, 0) }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }
}
