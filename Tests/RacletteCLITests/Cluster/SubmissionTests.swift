import Testing

/// What submitters and readers of a journal on a server see, without a worker.
@Suite(
  "a plan that is handed over", .enabled(if: TestServer.isInstalled), .timeLimit(.minutes(10)))
struct SubmissionTests {
  private static let commands = """
    local rac = require "rac"
    local words = require "words"
    rac.command{name = "hi", params = {{name = "who", default = "x"}},
      run = function(input) return words.hello .. " " .. input.who end}
    rac.command{name = "login", secrets = {"TOKEN"}, params = {{name = "token"}},
      env = {TOKEN = "geheim-123"}, run = "echo in"}
    """
  private static let files: [String: String] = [
    "commands.lua": Self.commands, "words.lua": #"return {hello = "hello"}"#, "s.lua": "print(...)",
    "data/a.txt": "a", "unused.lua": "",
  ]
  private let folder: Folder
  private let url: String

  init() {
    folder = Folder(Self.files)
    url = TestServer.shared.database()
  }

  private func submit(_ plan: [String], _ options: String...) async -> Outcome {
    folder.write(plan.map { $0 + "\n" }.joined(), to: "plan.jsonl")
    let launch = Launch(
      arguments: ["batch", "--submit"] + options + ["plan.jsonl"], folder: folder.path,
      environment: ["RACLETTE_JOURNAL": url])
    return await onThread { Running(launch).finish() }
  }

  private func ask(_ words: String...) async -> Outcome {
    let launch = Launch(arguments: words, environment: ["RACLETTE_JOURNAL": url])
    return await onThread { Running(launch).finish() }
  }

  @Test("is there with the files that it needs, and the number of its batch is printed")
  func whole() async {
    let run = await submit(
      [#"{"command": "hi", "id": "one"}"#, #"{"script": "s.lua", "args": [1]}"#],
      "--bundle", "data/*.txt")
    #expect(run.output == "1\n", "\(run)")
    #expect(run.status == 0)
    #expect(run.errors.contains("2 entries handed over; to follow the batch: raclette :attach 1"))
    let paths = await TestServer.shared.rows(
      "SELECT path FROM raclette.bundle_file ORDER BY path", in: url)
    #expect(paths == ["commands.lua", "data/a.txt", "s.lua", "words.lua"])
    let jobs = await ask("jobs", "--json")
    #expect(jobs.output.hasPrefix(#"{"queued":2,"running":0,"oldest_seconds":"#), "\(jobs)")
    #expect(jobs.output.contains(#""workers":[]"#))
  }

  @Test("has the script that it names where one piece of the file ends and the next begins")
  func seam() async {
    // Files are read in pieces of 256 KiB.
    let padding = String(repeating: " ", count: (1 << 18) - #"{"scr"#.utf8.count)
    let run = await submit([padding + #"{"script": "s.lua"}"#])
    #expect(run.status == 0, "\(run)")
    let paths = await TestServer.shared.rows(
      "SELECT path FROM raclette.bundle_file WHERE path = 's.lua'", in: url)
    #expect(paths == ["s.lua"])
  }

  @Test("is read by its followers in answers of some MiB, whatever its output")
  func answers() async {
    _ = await submit([#"{"command": "hi"}"#])
    let rows = { (query: String) async -> [String] in
      await TestServer.shared.rows(query, in: url)
    }
    // Nine rows of a MiB, of two workers in turn, and a longer one.
    _ = await rows(
      """
      INSERT INTO raclette.output (batch, worker, place, events)
      SELECT 1, n % 2, 1000000 + n, repeat('x', CASE n WHEN 10 THEN 8388608 ELSE 1048576 END)
      FROM generate_series(1, 10) AS n
      """)
    let follow = "SELECT worker, place - 1000000 FROM raclette.follow(1, "
    #expect(await rows(follow + "'{}', '{}')") == ["1|1", "0|2", "1|3", "0|4"])
    let next = await rows(follow + "'{0,1}', '{1000004,1000003}')")
    #expect(next == ["1|5", "0|6", "1|7", "0|8"])
    #expect(await rows(follow + "'{0,1}', '{1000008,1000009}')") == ["0|10"])
  }

  @Test("has equal bundles once, and a changed file makes another")
  func bundles() async {
    let plan = [#"{"command": "hi"}"#]
    _ = await submit(plan)
    _ = await submit(plan)
    folder.write(#"return {hello = "good evening"}"#, to: "words.lua")
    _ = await submit(plan)
    let counts = await TestServer.shared.rows(
      "SELECT count(*), count(DISTINCT bundle) FROM raclette.batch", in: url)
    #expect(counts == ["3|2"])
  }

  @Test("fails in its lines that make no sense, and the others are handed over")
  func flaws() async {
    let run = await submit([
      #"{"command": "ho"}"#, "{", #"{"command": "hi", "input": {"wo": 1}}"#,
      #"{"command": "hi", "id": "a"}"#, #"{"command": "hi", "id": "a"}"#,
    ])
    #expect(run.status == 1)
    #expect(run.errors.contains("plan.jsonl:1: unknown command 'ho'"))
    #expect(run.errors.contains("plan.jsonl:2: invalid JSON"))
    #expect(run.errors.contains("plan.jsonl:3: unknown parameter 'wo'; did you mean 'who'?"))
    #expect(run.errors.contains("plan.jsonl:5: the id 'a' was used on line 4 before"))
    let states = await TestServer.shared.rows(
      """
      SELECT e.line, coalesce(d.state, 'waiting') FROM raclette.entry e
      LEFT JOIN raclette.ended d ON d.entry = e.id ORDER BY e.line
      """, in: url)
    #expect(states == ["1|failed", "2|failed", "3|failed", "4|waiting", "5|failed"])
  }

  @Test("is handed over in pieces, and a line that is too long fails alone")
  func size() async {
    let text = String(repeating: "x", count: 3 << 20)
    let long = #"{"command": "hi", "input": {"who": "\#(text)"}}"#
    let tooLong = String(repeating: "y", count: 17 << 20)
    let run = await submit([long, long, long, #"{"command": "hi"}"#, tooLong])
    #expect(run.status == 1)
    #expect(run.errors.contains("plan.jsonl:5: the line is longer than 16 MiB"), "\(run.errors)")
    let entries = await TestServer.shared.rows(
      """
      SELECT count(*), max(length(input)) > 3 << 20, count(DISTINCT xmin::text) > 1
      FROM raclette.entry
      """, in: url)
    #expect(entries == ["5|t|t"])
    #expect(await TestServer.shared.rows("SELECT size FROM raclette.batch", in: url) == ["5"])
  }

  @Test("holds no secret")
  func secrets() async {
    let run = await submit([#"{"command": "login", "input": {"token": "geheim-123"}}"#])
    #expect(run.status == 1)
    #expect(run.errors.contains("plan.jsonl:1: the input holds a secret, which is not handed over"))
    let inputs = await TestServer.shared.rows("SELECT input FROM raclette.entry", in: url)
    #expect(inputs.count == 1 && !inputs[0].contains("geheim"), "\(inputs)")
    // A digest of it would let everyone try what it is.
    _ = await submit([#"{"command": "login", "input": {"token": "geheim-123"}}"#])
    let keys = "SELECT count(*), count(DISTINCT key) FROM raclette.entry"
    #expect(await TestServer.shared.rows(keys, in: url) == ["2|2"])
  }

  @Test("has the files of its scripts, wherever in the plan they are named")
  func scripts() async {
    // The word is at the boundary of two pieces that are searched.
    let line = #"{"script": "s.lua"}"#
    let filler = String(repeating: " ", count: (1 << 18) - 6)
    let run = await submit([filler + line])
    #expect(run.status == 0, "\(run)")
    let paths = await TestServer.shared.rows(
      "SELECT path FROM raclette.bundle_file WHERE path = 's.lua'", in: url)
    #expect(paths == ["s.lua"])
  }

  @Test("is refused with a file of secrets that workers would need")
  func secretFile() async {
    folder.write("TOKEN=geheim-123\n", to: ".env")
    folder.write(
      #"require "rac".command{name = "in", secrets = {"TOKEN"}, env_file = ".env", run = "x"}"#,
      to: "commands.lua")
    let run = await submit([#"{"command": "in"}"#])
    #expect(run.status == 1)
    #expect(run.errors.contains("the env_file '.env' of 'in' sets secrets"), "\(run)")
  }

  @Test("is refused with a module that is outside of its folder")
  func outside() async {
    folder.write(Self.commands, to: "inner/commands.lua")
    folder.write(#"dofile "../words.lua""#, to: "inner/words.lua")
    let run = await ask("batch", "--submit", "-C", folder["inner"], "plan.jsonl")
    #expect(run.status == 2)
    folder.write(#"{"command": "hi"}"#, to: "inner/plan.jsonl")
    let other = await ask("batch", "--submit", "-C", folder["inner"], "plan.jsonl")
    #expect(other.errors.contains("'../words.lua', which"), "\(other)")
    #expect(other.errors.contains("names, is outside of '\(folder["inner"])'"))
  }

  @Test("is cancelled as a whole or in part, and cancel says what it did")
  func cancellation() async {
    _ = await submit([#"{"command": "hi"}"#, #"{"command": "hi"}"#, #"{"command": "ho"}"#])
    let one = await ask("cancel", "#2")
    #expect(one.errors == "raclette: cancelled #2 (hi): it had not begun\n")
    #expect(await ask("cancel", "2").errors.contains("#2 (hi) has ended already (cancelled)"))
    #expect(await ask("cancel", "4").errors.contains("#4 (ho) has ended already (failed)"))
    let all = await ask("cancel", "1")
    #expect(all.errors == "raclette: cancelled batch 1: 1 that waited\n")
    #expect(await ask("cancel", "1").errors.contains("batch 1 has ended already (cancelled)"))
    let unknown = await ask("cancel", "99")
    #expect(unknown.errors.contains("there is neither a batch nor an execution 99"))
    #expect(unknown.status == 1)
    let attached = await ask("attach", "1", "--progress", "never")
    #expect(attached.errors.contains("3 entries in"))
    #expect(attached.errors.contains("0 completed, 1 failed, 2 cancelled"))
    #expect(attached.status == 1)
    let history = await ask("history", "--failed")
    #expect(history.lines.count == 3, "\(history)")
  }

  @Test("hands over with --resume what waits elsewhere, in whose place it is executed")
  func resumption() async {
    _ = await submit([#"{"command": "hi"}"#, #"{"command": "ho"}"#])
    let again = await submit(
      [#"{"command": "hi"}"#, #"{"command": "hi", "input": {"who": "y"}}"#], "--resume")
    #expect(again.errors.contains("2 entries handed over;"), "\(again)")
    let queued = await TestServer.shared.rows(
      "SELECT batch, count(*) FROM raclette.queue GROUP BY batch ORDER BY batch", in: url)
    #expect(queued == ["4|2"])
  }

  @Test("is removed by prune once it has ended")
  func pruning() async {
    _ = await submit([#"{"command": "hi"}"#])
    _ = await submit([#"{"command": "hi"}"#])
    _ = await ask("cancel", "1")
    let pruned = await ask("prune", "--older-than", "0.001")
    #expect(pruned.errors == "raclette: 1 batch with 1 entry removed\n", "\(pruned)")
    #expect(await ask("prune").status == 2)
    #expect(await TestServer.shared.rows("SELECT id FROM raclette.batch", in: url) == ["3"])
    _ = await submit([#"{"command": "hi"}"#])
    for batch in ["3", "5"] { _ = await ask("cancel", batch) }
    let kept = await ask("prune", "--keep", "1")
    #expect(kept.errors == "raclette: 1 batch with 1 entry removed\n", "\(kept)")
    #expect(await TestServer.shared.rows("SELECT id FROM raclette.batch", in: url) == ["5"])
  }

  @Test("needs a server for what only a server can do")
  func files() async {
    for words in [["jobs"], ["attach", "1"], ["cancel", "1"], ["prune", "--older-than", "1"]] {
      let launch = Launch(arguments: words + ["--journal", "file.db"])
      let run = await onThread { Running(launch).finish() }
      #expect(run.errors.contains("'\(words[0])' needs a journal on a server"), "\(run)")
      #expect(run.status == 2)
    }
    let batch = await raclette("batch", "--submit", "plan.jsonl", in: folder)
    #expect(batch.status == 2)
  }
}
