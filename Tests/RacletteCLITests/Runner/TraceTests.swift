import Platform
import Scripting
import Testing
import TextFiles

/// Traces, as a collector receives them.
@Suite("traces", .timeLimit(.minutes(5)))
struct TraceTests {
  private let folder = Folder(
    commands: """
      rac.command{name = "generate", run = "echo generated"}
      rac.command{name = "build", needs = {"generate"}, run = "echo $TRACEPARENT"}
      rac.command{name = "flaky", retry = {times = 1}, run = "exit 3"}
      rac.command{name = "login", secrets = {"TOKEN"}, run = "test -n $TOKEN"}
      rac.command{name = "wait", run = "echo waits; exec sleep 1000"}
      """)

  @Test("show a run, its executions within it, and their processes within them")
  func run() async {
    let collector = Collector(in: folder)
    let run = await raclette("run", "--otlp", collector.address, "build", in: folder)
    let spans = collector.spans()
    #expect(run.status == 0 && run.errors == "", "\(run)")
    #expect(
      tree(spans) == [
        "raclette run ok",
        "  build ok",
        "    echo $TRACEPARENT",
        "  generate ok",
        "    echo generated",
      ])
    #expect(Set(spans.map(\.trace)).count == 1)
    let build = spans.first { $0.name == "build" }
    #expect(
      run.lines == ["generated", "00-\(build?.trace ?? "")-\(build?.id ?? "")-01"])
    for span in spans { #expect(span.start <= span.end, "\(span)") }
  }

  @Test("name processes by themselves, whatever was shown or has failed to start before")
  func names() async {
    let folder = Folder(
      commands: """
        rac.command{name = "calls", steps = {
          function() pcall(function() rac.exec{"./nosuch"}:wait() end) end,
          function() rac.sh("echo one"):wait() end,
        }}
        """)
    let collector = Collector(in: folder)
    let run = await raclette("run", "--otlp", collector.address, "calls", in: folder)
    #expect(run.status == 0, "\(run)")
    #expect(tree(collector.spans()) == ["raclette run ok", "  calls ok", "    echo one"])
  }

  @Test("show each attempt, and the failure")
  func attempts() async {
    let collector = Collector(in: folder)
    let run = await raclette("run", "--otlp", collector.address, "flaky", in: folder)
    #expect(run.status == 3)
    #expect(
      tree(collector.spans()) == [
        "raclette run error: exit status 3",
        "  flaky error: 'exit 3' exited with status 3",
        "    attempt 1 error: 'exit 3' exited with status 3",
        "    attempt 2 error: 'exit 3' exited with status 3",
        "    exit 3",
        "    exit 3",
      ])
  }

  @Test("go on with that of the caller, unless the caller does not record it")
  func caller() async {
    let collector = Collector(in: folder)
    let (trace, span) = (String(repeating: "ab", count: 16), String(repeating: "cd", count: 8))
    let call = { (flags: String) in
      await shell(
        "TRACEPARENT=00-\(trace)-\(span)-\(flags) OTEL_EXPORTER_OTLP_ENDPOINT=\(collector.address)"
          + " raclette run build", in: folder)
    }
    let silent = await call("00")
    #expect(silent.lines.last == "00-\(trace)-\(span)-00", "\(silent)")
    #expect(collector.spans().isEmpty)
    let run = await call("01")
    #expect(run.status == 0, "\(run)")
    let spans = collector.spans()
    #expect(Set(spans.map(\.trace)) == [trace])
    #expect(spans.filter { $0.parent == span }.map(\.name) == ["raclette run"])
  }

  @Test("show no secret")
  func secrets() async {
    let collector = Collector(in: folder)
    let run = await shell(
      "TOKEN=hunter22 raclette run --otlp \(collector.address) login", in: folder)
    #expect(run.status == 0, "\(run)")
    #expect(collector.spans().contains { $0.name == "login" })
    #expect(!collector.text().contains("hunter22"))
  }

  @Test("are sent when Ctrl-C ends the run")
  func interrupted() async {
    let collector = Collector(in: folder)
    let spans = await onThread {
      let run = Running(
        Launch(
          arguments: ["run", "--otlp", collector.address, "wait"], folder: folder.path))
      run.waitForOutput("waits\n")
      run.get(signal: SIGINT)
      #expect(run.finish().status == 130)
      return collector.spans()
    }
    #expect(
      tree(spans) == [
        "raclette run error: exit status 130", "  wait", "    echo waits; exec sleep 1000",
      ])
  }

  @Test("that nothing takes cost a warning, and nothing else")
  func unreachable() async {
    let run = await raclette("run", "--otlp", "http://127.0.0.1:1", "generate", in: folder)
    #expect(run.status == 0 && run.output == "generated\n")
    #expect(
      run.errors.hasPrefix(
        "raclette: 3 spans were not sent to http://127.0.0.1:1/v1/traces: "), "\(run)")
    let refusing = Collector(in: folder, answer: "400")
    let refused = await raclette("run", "--otlp", refusing.address, "generate", in: folder)
    #expect(refused.status == 0)
    #expect(
      refused.errors
        == "raclette: 3 spans were not sent to \(refusing.address)/v1/traces: it answered with "
        + "status 400\n")
  }

  @Test("show the entries of a batch")
  func batch() async {
    let collector = Collector(in: folder)
    folder.write(#"{"command": "build", "id": "first"}"# + "\n", to: "plan.jsonl")
    let run = await raclette("batch", "--otlp", collector.address, "plan.jsonl", in: folder)
    #expect(run.status == 0, "\(run)")
    let spans = collector.spans()
    #expect(
      tree(spans) == [
        "raclette batch ok",
        "  build ok",
        "    echo $TRACEPARENT",
        "  generate ok",
        "    echo generated",
      ])
    #expect(spans.first { $0.name == "build" }?.attributes["raclette.entry"] == "first")
  }

  @Test(
    "join the submitter of a batch and the workers that execute its entries",
    .enabled(if: TestServer.isInstalled))
  func cluster() async {
    let collector = Collector(in: folder)
    folder.write(#"{"command": "build"}"# + "\n", to: "plan.jsonl")
    let run = await raclette(
      "batch", "--otlp", collector.address, "plan.jsonl", in: folder,
      environment: [
        "RACLETTE_JOURNAL": TestServer.shared.database(), "XDG_CACHE_HOME": folder["cache"],
      ])
    #expect(run.status == 0, "\(run)")
    let spans = collector.spans()
    #expect(
      tree(spans) == [
        "raclette batch ok",
        "  build ok",
        "    echo $TRACEPARENT",
        "  generate ok",
        "    echo generated",
      ])
    #expect(Set(spans.map { $0.process }).count == 2)
  }

  /// The spans, each below its parent, in the order of their names.
  private func tree(_ spans: [ReceivedSpan]) -> [String] {
    let ids = Set(spans.map(\.id))
    func lines(_ span: ReceivedSpan, _ indent: String) -> [String] {
      let inner = spans.filter { $0.parent == span.id }.sorted { $0.text < $1.text }
      return [indent + span.text] + inner.flatMap { lines($0, indent + "  ") }
    }
    return spans.filter { !ids.contains($0.parent ?? "") }.flatMap { lines($0, "") }
  }
}

/// A span as a collector received it.
struct ReceivedSpan {
  let trace: String
  let id: String
  let parent: String?
  let name: String
  let start: Int64
  let end: Int64
  var attributes: [String: String] = [:]
  /// The process that has sent it.
  var process = ""
  /// The name, and how it ended.
  let text: String

  init(_ json: JSONValue) {
    trace = json["traceId"].string ?? ""
    id = json["spanId"].string ?? ""
    parent = json["parentSpanId"].string
    name = json["name"].string ?? ""
    start = Int64(json["startTimeUnixNano"].string ?? "") ?? .max
    end = Int64(json["endTimeUnixNano"].string ?? "") ?? .min
    for attribute in json["attributes"].elements {
      attributes[attribute["key"].string ?? ""] = attribute["value"]["stringValue"].string
    }
    text =
      switch json["status"]["code"].int {
      case 1: "\(name) ok"
      case 2: "\(name) error: \(json["status"]["message"].string ?? "")"
      default: name
      }
  }
}

/// A collector of traces: a server that keeps what is posted to it.
final class Collector: @unchecked Sendable {
  // Unchecked: immutable.

  let address: String
  private let server: Running
  private let file: String

  /// - Parameter answer: the status that it answers with.
  init(in folder: Folder, answer: String = "200") {
    file = folder["received-\(answer).jsonl"]
    folder.write(
      #"""
      import http.server, sys
      class Collector(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
          body = self.rfile.read(int(self.headers["Content-Length"]))
          with open(sys.argv[1], "ab") as file: file.write(body + b"\n")
          self.send_response(int(sys.argv[2]))
          self.end_headers()
          self.wfile.write(b"{}")
        def log_message(self, *_): pass
      server = http.server.HTTPServer(("127.0.0.1", 0), Collector)
      print(server.server_port, flush=True)
      server.serve_forever()
      """#, to: "collector.py")
    server = Running(
      Launch(
        program: "python3", arguments: [folder["collector.py"], file, answer],
        folder: folder.path))
    server.waitForOutput("\n")
    address = "http://127.0.0.1:" + server.output.dropLast()
  }

  /// Everything that it has received.
  func text() -> String { lines.joined(separator: "\n") }

  private var lines: [String] { (try? TextFile(file).lines) ?? [] }

  func spans() -> [ReceivedSpan] {
    let documents = lines.compactMap { JSONValue(parsing: $0.utf8) }
    return documents.flatMap { $0["resourceSpans"].elements }.flatMap { part in
      let attributes = part["resource"]["attributes"].elements
      let process = attributes.first { $0["key"].string == "process.pid" }
      return part["scopeSpans"].elements.flatMap { $0["spans"].elements }.map {
        var span = ReceivedSpan($0)
        span.process = process?["value"]["intValue"].string ?? ""
        return span
      }
    }
  }
}
