import Platform
import Testing

@Suite struct BatchPlanTests {
  @Test func everyEntryIsExecuted() async {
    let place = BatchFolder(plan: [note("a"), note("b"), "", "  ", note("a")])
    let outcome = await place.batch("plan.jsonl", "-j1")
    #expect(outcome.status == 0)
    #expect(outcome.lines == ["a", "b", "a"])
    #expect(outcome.errors.contains("3 entries"))
  }

  @Test(arguments: [
    ("not json", "invalid JSON at column 3: invalid token near 'not'"),
    (#"{"command": "note""#, "invalid JSON at column"),
    (#"{"command": "note"} {}"#, "invalid JSON at column"),
    (#"{"command": "note", "command": "fail"}"#, "duplicate object key"),
    ("\"note\"", #"expected an object such as {"command": "build"}"#),
    ("[]", "expected an object"),
    ("{}", "neither 'command' nor 'script' says what to execute"),
    (#"{"command": ""}"#, "'command' must be a non-empty string"),
    (#"{"command": 3}"#, "'command' must be a non-empty string"),
    (#"{"commnad": "note"}"#, "unknown key 'commnad'; did you mean 'command'?"),
    (#"{"command": "note", "script": "a.lua"}"#, "an entry is a 'command' or a 'script', not both"),
    (#"{"command": "note", "args": []}"#, "a command takes 'input', not 'args'"),
    (#"{"script": "a.lua"}"#, "cannot read the script 'a.lua'"),
    (#"{"script": "commands.lua", "input": {}}"#, "a script takes 'args', not 'input'"),
    (#"{"script": "commands.lua", "args": [{}]}"#, "'args' must be a list of strings and numbers"),
    (#"{"command": "note", "input": \u{7}}"#, "invalid JSON at column"),
    (#"{"command": "note", "input": NaN}"#, "invalid JSON at column"),
    (#"{"command": "note", "input": 1e999}"#, "invalid JSON at column"),
    (#"{"command": "note", "input": 1e999}"#, "invalid JSON at column"),
    (#"{"command": "note", "input": {"to": "\ud800"}}"#, "invalid JSON at column"),
    (
      #"{"command": "note", "input": "# + String(repeating: "[", count: 100_000),
      "invalid JSON at column"
    ),
    (#"{"command": "note", "id": []}"#, "'id' must be a non-empty string or an integer"),
    (#"{"command": "nots"}"#, "unknown command 'nots' in commands.lua; did you mean 'note'?"),
    (#"{"command": "note"}"#, "parameter 'to' is required"),
    (#"{"command": "note", "input": {"to": "notes", "txt": ""}}"#, "did you mean 'text'?"),
    (#"{"command": "note", "input": 3}"#, "note"),
  ])
  func aBadLineIsToldWithItsNumberAndFailsAlone(_ line: String, _ message: String) async {
    let place = BatchFolder(plan: [note("before"), line, note("after")])
    let outcome = await place.batch("plan.jsonl", "-j1")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("plan.jsonl:2: "), "\(outcome)")
    #expect(outcome.errors.contains(message), "\(outcome)")
    #expect(place.lines("notes") == ["before", "after"])
  }

  @Test func bytesThatAreNoTextFailTheirLineAlone() async {
    let place = BatchFolder()
    place.folder.write(
      Array(#"{"command": "note", "input": {"text": "\#u{0}"#.utf8) + [0xFF, 0xFE, 10]
        + Array((note("after") + "\r\n").utf8), to: "plan.jsonl")
    let outcome = await place.batch("plan.jsonl")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("plan.jsonl:1: "))
    #expect(place.lines("notes") == ["after"])
  }

  @Test func anIdIsUsedOnce() async {
    let place = BatchFolder(plan: [
      #"{"command": "note", "id": 7, "input": {"to": "notes", "text": "a"}}"#,
      #"{"command": "note", "id": "7", "input": {"to": "notes", "text": "b"}}"#,
    ])
    let outcome = await place.batch("plan.jsonl")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("plan.jsonl:2: [7] note: the id '7' was used on line 1 before"))
    #expect(place.lines("notes") == ["a"])
  }

  @Test func aPlanIsReadFromStandardInputAndSeveralInOrder() async {
    let place = BatchFolder(plan: [note("file")])
    let outcome = await place.batch("-", "plan.jsonl", "-j1", input: note("input"))
    #expect(outcome.status == 0)
    #expect(outcome.lines == ["input", "file"])
  }

  @Test func entriesOfAPipeAreExecutedAsTheyCome() async {
    let place = BatchFolder()
    let path = place.folder.makePipe("pipe.jsonl")
    let launch = Launch(arguments: ["batch", "pipe.jsonl"], folder: place.folder.path)
    let outcome = await onThread {
      let running = Running(launch)
      // Not inherited by what other tests start meanwhile, which would keep it open.
      let pipe = fopen(path, "we")
      for text in ["a", "b", "c"] {
        fputs(note(text) + "\n", pipe)
        fflush(pipe)
        // The next line is written only when this one has been executed.
        running.waitForOutput(text)
      }
      fclose(pipe)
      return running.finish()
    }
    #expect(outcome.lines == ["a", "b", "c"] && outcome.status == 0, "\(outcome)")
  }

  @Test func theEndOfABatchDoesNotWaitForItsPlan() async {
    let place = BatchFolder()
    let path = place.folder.makePipe("pipe.jsonl")
    let launch = Launch(
      arguments: ["batch", "--fail-fast", "pipe.jsonl", "--journal", "j.db"],
      folder: place.folder.path)
    let outcome = await onThread {
      let running = Running(launch)
      let pipe = fopen(path, "we")
      fputs(#"{"command": "fail"}"# + "\n", pipe)
      fflush(pipe)
      // The writer lives as long as the batch does.
      defer { fclose(pipe) }
      return running.finish()
    }
    #expect(outcome.status == 1 && outcome.errors.contains("1 entry in"), "\(outcome)")
  }

  @Test func linesThatAreAppendedBeforeTheEndIsReachedAreExecutedToo() async {
    let place = BatchFolder(
      """
      local rac = require "rac"
      rac.command {name = "grow", run = function(input)
        local file = io.open("plan.jsonl", "a")
        if input.n > 1 then
          file:write('{"command": "grow", "input": {"n": ', input.n - 1, "}}\\n")
        end
        file:close()
        return input.n
      end}
      rac.command {name = "noop", run = function() end}
      """,
      // More than is read ahead.
      plan: [#"{"command": "grow", "input": {"n": 2}}"#]
        + Array(
          repeating: #"{"command": "noop", "input": "\#(String(repeating: "x", count: 200))"}"#,
          count: 1_000))
    let outcome = await place.batch("plan.jsonl", "-j1")
    #expect(outcome.status == 0 && outcome.errors.contains("1002 completed"), "\(outcome)")
    #expect(outcome.lines == ["2", "1"])
  }

  @Test func aLineBeyondAllMeasureFailsAlone() async {
    let place = BatchFolder()
    let outcome = await shell(
      """
      { echo '\(note("before"))'
        printf '{"command": "note", "input": {"to": "notes", "text": "'
        head -c 100000000 /dev/zero | tr '\\0' x
        printf '"}}\\n'
        echo '\(note("after"))'
      } | raclette batch -j1 -
      """, in: place.folder)
    #expect(outcome.errors.contains("stdin:2: the line is longer than 16 MiB"), "\(outcome)")
    #expect(outcome.errors.contains("2 completed, 1 failed"))
    #expect(place.lines("notes") == ["before", "after"])
  }

  @Test func aPlanThatCannotBeReadIsToldBeforeAnythingIsExecuted() async {
    let place = BatchFolder(plan: [note("a")])
    let missing = await place.batch("plan.jsonl", "none.jsonl")
    #expect(missing.status == 2)
    #expect(
      missing.errors.contains("cannot read the plan 'none.jsonl': no such file or directory"))
    let directory = await place.batch("plan.jsonl", "/")
    #expect(directory.status == 2)
    #expect(place.lines("notes").isEmpty)
    let nothing = await place.batch()
    #expect(nothing.status == 2)
    #expect(nothing.errors.contains("PLAN is missing"))
  }

  @Test func withoutCommandsEachEntryTellsSo() async {
    let folder = Folder(["plan.jsonl": note("a")])
    let outcome = await raclette("batch", "plan.jsonl", in: folder)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("no commands.lua here or in a folder above"))
    let named = await raclette("batch", "-f", "none.lua", "plan.jsonl", in: folder)
    #expect(named.status == 3)
  }
}
