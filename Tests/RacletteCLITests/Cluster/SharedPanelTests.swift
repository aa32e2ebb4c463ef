import Platform
import Testing

/// A panel whose presses workers execute.
@Suite(
  "a panel over a journal on a server", .enabled(if: TestServer.isInstalled),
  .timeLimit(.minutes(10)))
struct SharedPanelTests {
  private static let commands = """
    local rac = require "rac"
    rac.command{name = "greet", params = {{name = "who", default = "you"}},
      run = function(input, emit)
        emit("hello " .. input.who) emit({n = 1}) emit("\\xFF")
        return rac.sh("echo careful >&2; printf bytes", {output = "bytes"})
      end}
    rac.command{name = "fail", run = "echo why >&2; exit 3"}
    rac.command{name = "forever", concurrency = 10, run = "echo begun; exec sleep 1000"}
    rac.command{name = "theirs", enabled = rac.just(rac.env.IS_WORKER ~= nil), run = "echo there"}
    rac.command{name = "count", run = "seq 20000"}
    rac.command{name = "deploy", confirm = "Really?", run = "echo deployed"}
    rac.command{name = "login", secrets = {"TOKEN"}, params = {{name = "token"}}, run = "true"}
    rac.command{name = "fresh", panel = {refresh = true}, run = "echo fresh"}
    rac.command{name = "screen", interactive = true, run = "true"}
    """

  private let place: ClusterFolder

  init() { place = ClusterFolder(Self.commands) }

  private func startPanel(_ options: String...) -> PanelProgram {
    PanelProgram(
      place.folder, ["--journal", place.url] + options, environment: ["TOKEN": "hunter2"])
  }

  private func startWorker(_ options: String...) -> Running {
    Running(
      Launch(
        arguments: ["worker", "--journal", place.url] + options, folder: place.folder.path,
        environment: ["XDG_CACHE_HOME": place.folder["cache"], "IS_WORKER": "1"]))
  }

  @Test("hands a press over, and shows what the worker does")
  func press() async {
    await onThread {
      let worker = startWorker()
      let panel = startPanel()
      let reply = panel.send(
        "POST", "commands/greet/executions", #"{"input": {"who": "me"}}"#)
      #expect(reply.status == 201, "\(reply)")
      let greet = reply.body.firstMatch(of: /"id":(\d+)/).flatMap { Int($0.1) } ?? 0
      let shown = panel.wait(for: greet, #""state":"completed""#).body
      #expect(shown.contains(#""worker":""#) && shown.contains(#""batch":"#), "\(shown)")
      #expect(shown.contains(#""input":{"who":"me"}"#), "\(shown)")
      let values = panel.send("GET", "executions/\(greet)/values").body
      for text in [
        #""value":"hello me""#, #""value":{"n":1}"#, #""value_base64":"/w==""#,
        #""type":"stderr""#, #""value":"careful""#, #""value":"bytes","chunk":true"#,
      ] { #expect(values.contains(text), "\(text): \(values)") }
      let failed = panel.wait(for: panel.execute("fail"), #""state":"failed""#).body
      #expect(failed.contains("exited with status 3") && failed.contains(#""code":3"#))
      let picture = panel.send("GET", "timeline.svg").body
      #expect(picture.contains("#\(greet) greet: completed"))
      #expect(!picture.contains(">greet</text>"), "\(picture)")
      worker.get(signal: SIGTERM)
    }
    let history = await place.run(["history", "--json"])
    #expect(history.lines.count == 2 && history.lines[0].contains(#""command":"greet""#))
  }

  @Test("streams an execution that it follows to its end, with its worker")
  func follow() async {
    await onThread {
      let worker = startWorker()
      let panel = startPanel()
      let stream = panel.stream("commands/greet/executions?follow=1", method: "POST", "{}")
      let text = stream.readToEnd()
      let types = text.matches(of: /"type":"(\w+)"/).map { String($0.1) }
      #expect(
        types.filter { $0 != "next" && $0 != "stderr" }
          == ["execution_queued", "execution_started", "completed"], "\(text)")
      #expect(text.contains(#""value":"hello you""#))
      #expect(text.contains(/"type":"completed".*"worker":"/), "\(text)")
      worker.get(signal: SIGTERM)
    }
  }

  @Test("shows what waits with its input, and the beginning of a long one, as long as it lives")
  func inputs() async {
    let long = String(repeating: "a", count: 100_000)
    let plan = ["me", long].map { #"{"command": "greet", "input": {"who": "\#($0)"}}"# }
    #expect(await place.submit(plan).status == 0)
    let ids = await place.rows("SELECT id FROM raclette.entry ORDER BY id").compactMap { Int($0) }
    await onThread {
      let panel = startPanel()
      let cut = #""input":"{\"who\":\"aaa"#
      #expect(panel.wait(for: ids[0], #""state":"queued""#).body.contains(#""input":{"who":"me"}"#))
      let waiting = panel.wait(for: ids[1], #""state":"queued""#).body
      #expect(waiting.contains(cut) && waiting.utf8.count < 5_000, "\(waiting.prefix(500))")
      let worker = startWorker()
      let short = panel.wait(for: ids[0], #""state":"completed""#).body
      #expect(short.contains(#""input":{"who":"me"}"#), "\(short)")
      #expect(panel.wait(for: ids[1], #""state":"completed""#).body.contains(cut))
      worker.get(signal: SIGTERM)
    }
  }

  @Test("leaves conditions to the worker, and asks questions itself")
  func conditions() async {
    await onThread {
      let panel = startPanel()
      let commands = panel.send("GET", "commands").body
      #expect(
        commands.contains(/"name":"theirs"[^{}]*"enabled":true,"asked":true/), "\(commands)")
      #expect(commands.contains(#""workers":[]"#))
      let theirs = panel.execute("theirs")
      panel.wait(for: theirs, #""state":"queued""#)
      #expect(panel.send("POST", "commands/deploy/executions", "{}").body.contains("Really?"))
      let deploy = panel.execute("deploy", #"{"confirmed": true}"#)
      let worker = startWorker()
      panel.wait(for: theirs, #""state":"completed""#)
      panel.wait(for: deploy, #""state":"completed""#)
      #expect(panel.send("GET", "executions/\(deploy)/values").body.contains("deployed"))
      let screen = panel.send("POST", "commands/screen/executions", "{}")
      #expect(screen.status == 409 && screen.body.contains("needs a terminal"), "\(screen)")
      worker.get(signal: SIGTERM)
    }
  }

  @Test("refuses inputs that do not fit or hold a secret, and hands nothing over")
  func refusals() async {
    await onThread {
      let panel = startPanel()
      let wrong = panel.send("POST", "commands/greet/executions", #"{"input": {"whom": 1}}"#)
      #expect(wrong.status == 422 && wrong.body.contains("unknown parameter 'whom'"), "\(wrong)")
      let secret = panel.send(
        "POST", "commands/login/executions", #"{"input": {"token": "hunter2"}}"#)
      #expect(secret.status == 422, "\(secret)")
      #expect(secret.body.contains("the input holds a secret, which is not handed over"))
    }
    #expect(await place.rows("SELECT count(*) FROM raclette.batch") == ["0"])
  }

  @Test("cancels what runs and what waits, wherever it is")
  func cancel() async {
    await onThread {
      let worker = startWorker("--jobs", "1")
      let panel = startPanel()
      // A worker takes what waits in any order.
      let first = panel.execute("forever")
      panel.wait(for: first, #""outputs":1"#)
      let second = panel.execute("forever")
      panel.wait(for: second, #""state":"queued""#)
      #expect(panel.send("DELETE", "executions/\(second)").status == 202)
      panel.wait(for: second, #""state":"cancelled""#)
      let reply = panel.send("DELETE", "executions/\(first)")
      #expect(reply.status == 202 && reply.body.contains("cancelling"), "\(reply)")
      panel.wait(for: first, #""state":"cancelled""#)
      #expect(panel.send("DELETE", "executions/\(first)").status == 409)
      worker.get(signal: SIGTERM)
    }
    #expect(
      await place.rows("SELECT count(*) FROM raclette.ended WHERE state = 'cancelled'") == ["2"])
  }

  @Test(
    "shows the executions of others: those before it, at most as many as it keeps, and new ones")
  func others() async throws {
    let call = #"{"command": "greet", "input": {"who": "them"}}"#
    _ = await place.submit([call, call, #"{"command": "fail"}"#])
    await onThread { _ = startWorker("--once").finish() }
    let panel = await onThread { startPanel("--keep", "2") }
    let shown = await onThread { panel.send("GET", "executions").body }
    #expect(shown.matches(of: /"id":/).count == 2, "\(shown)")
    #expect(shown.contains(#""state":"failed""#) && shown.contains("exited with status 3"))
    let ids = shown.matches(of: /"id":(\d+)/).compactMap { Int($0.1) }
    #expect(
      await onThread {
        eventually { panel.send("GET", "executions/\(ids[1])/values").body.contains("hello them") }
      })
    let new = await place.submit([#"{"command": "forever"}"#])
    let batch = try #require(new.lines.first)
    await onThread {
      let stream = panel.stream("events?page=P")
      let worker = startWorker()
      #expect(stream.wait(for: #""type":"execution_started","command":"forever""#))
      #expect(stream.text.contains("\"batch\":\(batch)"))
      let running = stream.text.firstMatch(of: /"execution":(\d+)/).flatMap { Int($0.1) } ?? 0
      panel.wait(for: running, #""outputs":1"#)
      // Somebody else ends it.
      _ = Running(
        Launch(
          arguments: ["cancel", "--journal", place.url, batch], folder: place.folder.path)
      ).finish()
      #expect(stream.wait(for: #""type":"cancelled","command":"forever""#))
      worker.get(signal: SIGTERM)
      #expect(worker.finish().status == 0)
      #expect(stream.wait(for: #""workers":[]"#))
    }
  }

  @Test("shows the beginning and the end of more output than a journal keeps")
  func bounds() async {
    await onThread {
      let worker = startWorker()
      let panel = startPanel()
      let count = panel.execute("count")
      panel.wait(for: count, #""state":"completed""#)
      let values = "executions/\(count)/values"
      #expect(
        eventually { panel.send("GET", "\(values)?from=-1").body.contains(#""value":"20000""#) })
      #expect(panel.send("GET", "\(values)?limit=1").body.contains(#""value":"1""#))
      #expect(panel.send("GET", "\(values)?find=were%20not%20kept").body.contains("events were"))
      worker.get(signal: SIGTERM)
    }
  }

  @Test("shows what a lost worker held as waiting, and then on the next worker")
  func loss() async {
    await onThread {
      let worker = startWorker()
      let panel = startPanel()
      let stream = panel.stream("events?page=P")
      stream.wait(for: "\nid: ")
      let forever = panel.execute("forever")
      panel.wait(for: forever, #""outputs":1"#)
      worker.get(signal: SIGKILL)
      _ = worker.finish()
      // Leases end when somebody looks at them.
      let next = startWorker()
      #expect(stream.wait(for: #""type":"retry""#))
      #expect(stream.text.contains("the lease of worker"))
      let shown = panel.wait(for: forever, #""attempt":2"#).body
      #expect(shown.contains("forever"))
      panel.wait(for: forever, #""outputs":2"#)
      #expect(panel.wait(for: forever, #""state":"running""#).body.contains(#""attempt":2"#))
      _ = panel.send("DELETE", "executions/\(forever)")
      panel.wait(for: forever, #""state":"cancelled""#)
      next.get(signal: SIGTERM)
    }
  }

  @Test("ends the refresh of a page when the worker is done")
  func refresh() async {
    await onThread {
      let panel = startPanel()
      let stream = panel.stream("events?page=P")
      stream.wait(for: "\nid: ")
      #expect(panel.send("POST", "pages/P/refreshes", #"{"command": "fresh"}"#).status == 202)
      let worker = startWorker()
      #expect(stream.wait(for: #""type":"refreshed""#))
      let completed = stream.text.firstRange(of: #""type":"completed","command":"fresh""#)
      #expect(completed != nil)
      worker.get(signal: SIGTERM)
    }
  }

  @Test("says that the server is away, and goes on when it is back")
  func outage() async {
    let server = TestServer(["fsync=off"])
    defer { server.stop() }
    let place = ClusterFolder(Self.commands, on: server)
    await onThread {
      let worker = Running(place.worker("--jobs", "2"))
      let panel = PanelProgram(place.folder, ["--journal", place.url])
      let forever = panel.execute("forever")
      panel.wait(for: forever, #""outputs":1"#)
      let stream = panel.stream("events?page=P")
      stream.wait(for: "\nid: ")
      server.kill()
      #expect(stream.wait(for: #""problem":""#))
      let reply = panel.send("POST", "commands/greet/executions", "{}")
      #expect(reply.status == 503 && reply.body.contains("is lost"), "\(reply)")
      #expect(panel.send("DELETE", "executions/\(forever)").status == 202)
      server.start()
      #expect(stream.wait(for: #""type":"cancelled","command":"forever""#))
      #expect(!panel.send("GET", "commands").body.contains(#""problem""#))
      panel.wait(for: panel.execute("greet"), #""state":"completed""#)
      worker.get(signal: SIGTERM)
      #expect(panel.end().errors.contains("is back"))
    }
  }

  @Test("says why it does not start")
  func start() async {
    let file = await raclette("panel", "--journal", "j.db", in: place.folder)
    #expect(file.status == 2 && file.errors.contains("'j.db' is a file"), "\(file)")
    let lost = await raclette(
      "panel", "--listen", ":0", "--journal", "postgresql:///none?host=/nowhere", in: place.folder)
    #expect(lost.status != 0 && lost.errors.contains("cannot connect to /nowhere"), "\(lost)")
    let bundle = await raclette("panel", "--bundle", "*", in: place.folder)
    #expect(bundle.status == 2 && bundle.errors.contains("needs a journal"), "\(bundle)")
  }

  @Test("sends events of the schema", .enabled(if: SchemaTests.hasValidator))
  func schema() async {
    await onThread {
      let worker = startWorker()
      let panel = startPanel("--json", "-q")
      for name in ["greet", "fail"] { panel.wait(for: panel.execute(name), #""ended":"#) }
      let forever = panel.execute("forever")
      panel.wait(for: forever, #""outputs":1"#)
      _ = panel.send("DELETE", "executions/\(forever)")
      panel.wait(for: forever, #""ended":"#)
      worker.get(signal: SIGTERM)
      place.folder.write(panel.end().output, to: "events")
    }
    let run = await shell(
      "\(SchemaTests.python) -c '\(SchemaTests.validator)' "
        + "'\(SchemaTests.catalog)/events.schema.json' <events", in: place.folder)
    #expect(run.status == 0, "\(run.errors.suffix(2_000))")
    #expect(
      Set(run.lines).isSuperset(of: [
        "panel", "journal", "execution_queued", "execution_started", "next", "stderr", "error",
        "completed", "cancelling", "cancelled", "ending",
      ]), "\(Set(run.lines))")
  }

  @Test("timelines have a row for each worker")
  func timeline() async {
    _ = await place.submit([#"{"command": "greet"}"#, #"{"command": "fail"}"#])
    await onThread { _ = startWorker("--once").finish() }
    let name = await place.rows("SELECT DISTINCT worker_name FROM raclette.ended").first ?? ""
    #expect(name.contains(":"))
    let text = await place.run(["timeline"])
    #expect(text.lines.contains { $0.hasPrefix(name) }, "\(text)")
    #expect(text.lines.dropLast().contains { $0.contains("✗") }, "\(text)")
    let picture = await place.run(["timeline", "--svg", "-"])
    #expect(picture.output.contains(">\(name)</text>"), "\(picture)")
    #expect(picture.output.contains("greet: completed"))
    let trace = await place.run(["timeline", "--trace", "-"])
    #expect(trace.output.contains("{\"name\":\"\(name)\"}"), "\(trace)")
    #expect(trace.output.contains("\"worker\":\"\(name)\""))
    let history = await place.run(["history", "--json"])
    #expect(history.lines.allSatisfy { $0.contains("\"worker\":\"\(name)\"") }, "\(history)")
  }
}
