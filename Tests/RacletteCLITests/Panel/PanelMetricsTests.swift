import Platform
import Testing

/// What the panel tells Prometheus.
@Suite("the panel's metrics", .timeLimit(.minutes(5)))
struct PanelMetricsTests {
  private static let commands = #"""
    rac.command{name = "good", run = "echo"}
    rac.command{name = "bad", run = "exit 3"}
    rac.command{name = "wait", run = "cat go"}
    rac.command{name = 'odd"\\name', run = "echo", enabled = rac.just(rac.tuple(false, "no"))}
    """#

  private static func text(of panel: PanelProgram) -> String {
    panel.send("GET", "/metrics").body.replacing(/_sum(\{.*\}) .*/) { "_sum\($0.1) TIME" }
  }

  @Test("counts executions by command and end, and shows what is under way")
  func counts() async {
    await onThread {
      let folder = Folder(commands: Self.commands)
      _ = folder.makePipe("go")
      let panel = PanelProgram(folder, [])
      for _ in 0..<2 { panel.wait(for: panel.execute("good"), #""state":"completed""#) }
      panel.wait(for: panel.execute("bad"), #""state":"failed""#)
      let waiting = panel.execute("wait")
      panel.wait(for: waiting, #""state":"running""#)
      let reply = panel.send("GET", "/metrics")
      #expect(reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
      let lines = Self.text(of: panel).split(separator: "\n").map(String.init)
      for line in [
        "# TYPE raclette_executions_total counter",
        #"raclette_executions_total{command="bad",end="failed"} 1"#,
        #"raclette_executions_total{command="good",end="completed"} 2"#,
        "# TYPE raclette_execution_duration_seconds histogram",
        #"raclette_execution_duration_seconds_bucket{command="good",le="+Inf"} 2"#,
        #"raclette_execution_duration_seconds_sum{command="good"} TIME"#,
        #"raclette_execution_duration_seconds_count{command="good"} 2"#,
        #"raclette_executions_active{command="wait",state="running"} 1"#,
        #"raclette_executions_active{command="wait",state="queued"} 0"#,
        #"raclette_command_enabled{command="good"} 1"#,
        #"raclette_command_enabled{command="wait"} 0"#,
        #"raclette_command_enabled{command="odd\"\\name"} 0"#,
        #"raclette_info{version="0.1.0"} 1"#,
      ] {
        #expect(lines.contains(line), "\(line)\n\(lines.joined(separator: "\n"))")
      }
      #expect(panel.send("GET", "/metrics", headers: ["Authorization": nil]).status == 401)
      #expect(panel.send("POST", "/metrics", "{}").status == 405)
      _ = panel.end()
    }
  }

  @Test("is what Prometheus' own parser reads", .enabled(if: PythonClients.areThere))
  func parsed() async {
    let text = await onThread {
      let folder = Folder(commands: Self.commands)
      let panel = PanelProgram(folder, [])
      panel.wait(for: panel.execute("good"), #""state":"completed""#)
      let text = panel.send("GET", "/metrics").body
      _ = panel.end()
      return text
    }
    let folder = Folder()
    folder.write(text, to: "metrics")
    folder.write(
      """
      from prometheus_client.parser import text_string_to_metric_families
      for family in text_string_to_metric_families(open("metrics").read()):
          names = sorted({sample.name for sample in family.samples})
          print(family.name, family.type, " ".join(names))
          for sample in family.samples:
              if sample.labels.get("command", "").startswith("odd"):
                  print(sample.labels["command"])
      """, to: "parse.py")
    let run = await shell("'\(PythonClients.python)' parse.py", in: folder)
    #expect(
      Set(run.lines) == [
        "raclette_info gauge raclette_info",
        "raclette_executions counter raclette_executions_total",
        "raclette_execution_duration_seconds histogram raclette_execution_duration_seconds_bucket "
          + "raclette_execution_duration_seconds_count raclette_execution_duration_seconds_sum",
        "raclette_executions_active gauge raclette_executions_active",
        "raclette_command_enabled gauge raclette_command_enabled", #"odd"\name"#,
      ], "\(run)")
  }
}
