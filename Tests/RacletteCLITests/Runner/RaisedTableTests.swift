import Testing

@Suite("a table that a script raises", .timeLimit(.minutes(5)))
struct RaisedTableTests {
  private let folder = Folder([
    "commands.lua": """
    rac.command{name = "c", secrets = {"TOKEN"}, run = function()
      error{code = 7, token = rac.env.TOKEN, text = "\\27[2J"}
    end}
    """, "plan.jsonl": #"{"command": "c"}"# + "\n",
    "script.lua": "error{code = 7}\n",
  ])
  private let environment = ["TOKEN": "hunter2"]
  private let text = #"commands.lua:2: {code = 7, text = "\x1b[2J", token = "***"}"#

  @Test("is told by its fields, without secrets and control characters")
  func run() async {
    let run = await raclette("run", "c", in: folder, environment: environment)
    #expect(run.errors == "raclette: error: c: \(text)\n")
    let json = await raclette("run", "--json", "c", in: folder, environment: environment)
    #expect(json.output.contains(#"{code = 7, text = \"\\x1b[2J\", token = \"***\"}"#), "\(json)")
  }

  @Test("also in batches, in the journal, by scripts and in a session")
  func elsewhere() async {
    let batch = await raclette(
      "batch", "--journal", "j.db", "plan.jsonl", in: folder, environment: environment)
    #expect(batch.errors.contains("plan.jsonl:1: c: \(text)\n"), "\(batch)")
    let history = await raclette("history", "--journal", "j.db", in: folder)
    #expect(history.output.hasSuffix(" - \(text)\n"), "\(history)")
    let script = await raclette("exec", "script.lua", in: folder)
    #expect(script.errors == "raclette: error: script.lua:1: {code = 7}\n")
    let session = await raclette("repl", in: folder, input: "error{code = 7}\n")
    #expect(session.errors.contains("error: {code = 7}\n"), "\(session)")
  }
}
