import Testing

/// What a command keeps secret stands in no record and no report.
@Suite struct BatchSecretTests {
  private static let secret = "hunter2hunter2"

  private static let commands = """
    local rac = require "rac"
    rac.command {name = "login", secrets = {"token"}, concurrency = 2,
      params = {{name = "token"}, {name = "fails", type = "boolean", default = true}},
      run = function(input)
        return rac.sh("echo token " .. input.token .. "; echo " .. input.token .. " >&2; "
          .. (input.fails and "exit 1" or "exit 0"))
      end}
    rac.command {name = "variable", secrets = {"RACLETTE_TOKEN"},
      env = {RACLETTE_TOKEN = "\(secret)"},
      run = function() return rac.sh("echo $RACLETTE_TOKEN; echo $RACLETTE_TOKEN >&2") end}
    """

  private func login(_ rest: String = "") -> String {
    #"{"command": "login", "input": {"token": "\#(Self.secret)"\#(rest)}}"#
  }

  private func place() -> BatchFolder {
    BatchFolder(
      Self.commands,
      plan: [
        login(), login(#", "unknown": 1"#), #"{"command": "variable"}"#,
        #"{"command": "login", "inptu": {"token": "\#(Self.secret)"}}"#,
      ])
  }

  /// The names of the files that hold the secret.
  private func leaks(_ place: BatchFolder) async -> [String] {
    let found = await shell(
      "grep -la \(Self.secret) j.db* results.xml summary.json timeline.svg 2>&-", in: place.folder)
    return found.lines
  }

  @Test func noSecretIsInTheJournalOrAReport() async {
    let place = place()
    let outcome = await place.batch(
      "plan.jsonl", "--journal", "j.db", "--junit", "results.xml", "--summary", "summary.json")
    #expect(outcome.status == 1)
    let drawn = await raclette(
      "timeline", "--journal", "j.db", "--svg", "timeline.svg", in: place.folder)
    #expect(drawn.status == 0)
    #expect(await leaks(place) == [])
    let told = await shell(
      "raclette history --json --journal j.db; raclette history --journal j.db; "
        + "for i in 1 2 3 4; do raclette replay $i --journal j.db; done", in: place.folder)
    let text = outcome.output + outcome.errors + told.output + told.errors
    #expect(!text.contains(Self.secret), "\(text)")
    #expect(told.output.contains(#""token":"***""#) && told.output.contains("token ***"))
    #expect(place.lines("results.xml").joined().contains("<system-err>***"))
  }

  @Test("a secret in place of the name of a command is masked wherever the name is")
  func unknownName() async {
    let place = BatchFolder(
      Self.commands,
      plan: [#"{"command": "\#(Self.secret)"}"#, #"{"command": "missing"}"#, login()])
    let outcome = await place.batch(
      "plan.jsonl", "--json", "--journal", "j.db", "--junit", "results.xml", "--summary",
      "summary.json")
    #expect(outcome.status == 1)
    #expect(await leaks(place) == [])
    let text = outcome.output + outcome.errors
    #expect(!text.contains(Self.secret), "\(text)")
    #expect(text.contains(#""command":"***""#) && text.contains(#""command":"missing""#), "\(text)")
    #expect(place.lines("summary.json").joined().contains("***"))
  }

  @Test func noSecretOfARunIsInTheJournal() async {
    let place = place()
    let run = await raclette(
      "run", "--journal", "j.db", "login", "token=\(Self.secret)", in: place.folder)
    #expect(run.status == 1)
    #expect(await leaks(place) == [])
    let replay = await raclette("replay", "1", "--journal", "j.db", in: place.folder)
    #expect(replay.output == "token ***\n")
  }

  @Test func entriesThatDifferInASecretAreDifferent() async {
    let place = BatchFolder(
      Self.commands,
      plan: [
        login(#", "fails": false"#),
        #"{"command": "login", "input": {"token": "another one", "fails": false}}"#,
      ])
    let first = await place.batch("plan.jsonl", "--journal", "j.db")
    #expect(first.errors.contains("2 completed"), "\(first)")
    let again = await place.batch("plan.jsonl", "--journal", "j.db", "--resume")
    #expect(again.errors.contains("2 skipped"), "\(again)")
  }

  @Test func anIdAndAnArgumentThatHoldASecretAreMasked() async {
    let place = BatchFolder(
      Self.commands,
      plan: [
        #"{"command": "login", "id": "\#(Self.secret)-1", "input": {"token": "\#(Self.secret)"}}"#,
        #"{"command": "login", "id": "\#(Self.secret)-2", "input": {"token": "\#(Self.secret)2"}}"#,
        // Both are `***` where they are recorded, and yet two.
        #"{"command": "login", "id": "\#(Self.secret)"}"#,
        #"{"command": "login", "id": "\#(Self.secret)2"}"#,
      ])
    place.folder.write("", to: "\(Self.secret).jsonl")
    let launch = Launch(
      arguments: [
        "batch", "plan.jsonl", "\(Self.secret).jsonl", "--journal", "j.db",
        "--junit", "results.xml", "--summary", "summary.json", "--json", "--progress", "never",
      ], folder: place.folder.path,
      // What is secret by the command file is known before the call is recorded.
      environment: ["RACLETTE_TOKEN": Self.secret], input: .text(""))
    let outcome = await onThread { Running(launch).finish() }
    #expect(!outcome.errors.contains("was used on"), "\(outcome)")
    #expect(outcome.output.contains(#""id":"***-1""#), "\(outcome)")
    #expect(!outcome.output.contains(#""id":"\#(Self.secret)"#), "\(outcome)")
    let found = await shell(
      "grep -a \(Self.secret)- j.db* results.xml summary.json; grep -a \(Self.secret).jsonl j.db*",
      in: place.folder)
    #expect(found.output == "", "\(found)")
  }

  @Test func whatIsRecordedWithoutItsSecretIsNotExecutedWithAMask() async {
    let place = BatchFolder(Self.commands, plan: [login()])
    _ = await place.batch("plan.jsonl", "--journal", "j.db")
    let retry = await raclette("retry", "--journal", "j.db", in: place.folder)
    #expect(retry.status == 1)
    #expect(retry.errors.contains("held a secret, which is not recorded"), "\(retry)")
    #expect(!retry.output.contains("token"))
  }
}
