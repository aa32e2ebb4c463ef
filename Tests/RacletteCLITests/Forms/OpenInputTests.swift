import Testing

@Suite("a command that declares no parameters", .timeLimit(.minutes(5)))
struct OpenInputTests {
  private let folder = Folder(
    commands: """
      rac.command{name = "deploy", run = function(input) return "to staging" end}
      rac.command{name = "up", steps = {"echo up", function() end}}
      rac.command{name = "line", run = "echo line"}
      rac.command{name = "echo", run = function(input) return input end}
      rac.command{name = "any", params = "any", run = function(input) return input end}
      rac.command{name = "words", params = "any", run = 'echo "$# $1"'}
      rac.command{name = "nested", run = function(_, emit)
        emit(rac.commands.echo:execute{a = 1}:first())
        return rac.commands.echo:execute(2):first()
      end}
      rac.command{name = "needing", needs = {{"echo", a = "b"}}, run = "true"}
      """)

  private func run(_ words: [String]) async -> Outcome {
    await onThread { [folder] in Running(Launch(arguments: words, folder: folder.path)).finish() }
  }

  @Test(
    "takes no arguments, whatever form its work has",
    arguments: ["deploy", "up", "line"],
    [
      (["production"], "unexpected argument 'production'; the command takes no parameters; WAYS"),
      (["a=b"], "unexpected argument 'a=b'; the command takes no parameters; WAYS"),
      (["--prodd"], "unknown parameter 'prodd'; the command takes no parameters"),
      (["--input", #"{"a":1}"#], "unknown parameter 'a'; the command takes no parameters"),
      (["--input", "5"], "the input must be an object with the parameters"),
    ])
  func closed(command: String, arguments: ([String], String)) async {
    let run = await run([command] + arguments.0)
    #expect(run.output == "")
    let ways =
      "'\(command) :: COMMAND' executes both in order, '\(command) ::: COMMAND' side by side"
    let message = arguments.1.replacing("WAYS", with: ways)
    #expect(run.errors == "raclette: error: \(command): \(message)\n")
    #expect(run.status == 2)
  }

  @Test("takes what comes with params = \"any\", as strings")
  func open() async {
    let words = ["any", "a", "b=2", "--c", "--d", "3"]
    #expect(await run(words).output == #"{"1":"a","b":"2","c":"true","d":"3"}"# + "\n")
    #expect(await run(["any", "--input", "[1,2]"]).output == "[1,2]\n")
    #expect(await run(["any"]).output == "{}\n")
    #expect(await run(["words", "a b", "c"]).output == "2 a b\n")
    #expect(await run(["any", "--help"]).output == "any\n\nUsage: raclette run any [args...]\n")
  }

  @Test("takes any input of scripts, plans and needs")
  func programs() async {
    #expect(await run(["nested"]).output == #"{"a":1}"# + "\n2\n")
    #expect(await run(["needing"]).output == #"{"a":"b"}"# + "\n")
    folder.write(#"{"command": "echo", "input": [7]}"#, to: "plan.jsonl")
    #expect(await run(["batch", "-q", "plan.jsonl"]).output == "[7]\n")
  }

  @Test("params is a list of tables or \"any\"")
  func wrong() async {
    let folder = Folder(commands: #"rac.command{name = "a", params = "all", run = "true"}"#)
    #expect(
      await raclette("check", in: folder).output
        == "commands.lua:1: field 'params' must be a list of tables, or \"any\"\n")
  }
}
