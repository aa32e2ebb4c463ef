import Testing

@Suite("parameters of raclette run", .timeLimit(.minutes(5)))
struct ParameterTests {
  private let folder = Folder(
    commands: """
      rac.command{
        name = "typed", summary = "Shows its input",
        params = {
          {name = "who", required = true, help = "whom to greet"},
          {name = "times", type = "integer", default = 1},
          {name = "ratio", type = "number"},
          {name = "loud", type = "boolean", default = false},
          {name = "mode", choices = {"fast", "safe"}, default = "safe", help = "how"},
        },
        run = function(input) return input end,
      }
      rac.command{name = "open", params = "any", run = function(input) return input end}
      """)

  @Test(
    "are given by name, by position, and by default",
    arguments: [
      (["world"], #"{"loud":false,"mode":"safe","times":1,"who":"world"}"#),
      (["--who", "a", "--times=2"], #"{"loud":false,"mode":"safe","times":2,"who":"a"}"#),
      (["who=a", "3", "0.5"], #"{"loud":false,"mode":"safe","ratio":0.5,"times":3,"who":"a"}"#),
      (["a", "ratio=3"], #"{"loud":false,"mode":"safe","ratio":3,"times":1,"who":"a"}"#),
      (["a", "ratio=3.0"], #"{"loud":false,"mode":"safe","ratio":3.0,"times":1,"who":"a"}"#),
      (["--loud", "a"], #"{"loud":true,"mode":"safe","times":1,"who":"a"}"#),
      (["a", "loud=no", "mode=fast"], #"{"loud":false,"mode":"fast","times":1,"who":"a"}"#),
      (["--", "--who"], #"{"loud":false,"mode":"safe","times":1,"who":"--who"}"#),
      (["a=b"], #"{"loud":false,"mode":"safe","times":1,"who":"a=b"}"#),
      ([""], #"{"loud":false,"mode":"safe","times":1,"who":""}"#),
      (["who=é ü"], #"{"loud":false,"mode":"safe","times":1,"who":"é ü"}"#),
      (["-1"], #"{"loud":false,"mode":"safe","times":1,"who":"-1"}"#),
    ])
  func declared(words: [String], json: String) async {
    #expect(await outcome("typed", words).output == json + "\n")
  }

  @Test(
    "whose name is nearly right are refused, as options are",
    arguments: [
      (["WHO=a"], "WHO", "who"), (["a", "tims=3"], "tims", "times"),
      (["a", "rat=3"], "rat", "ratio"),
    ])
  func misspelt(words: [String], name: String, meant: String) async {
    let run = await outcome("typed", words)
    #expect(
      run.errors == """
        raclette: error: typed: unknown parameter '\(name)'; did you mean '\(meant)'? \
        After --, the word is an argument

        """)
    #expect(run.status == 2)
  }

  @Test("whose name is nearly right are arguments behind --")
  func misspeltArgument() async {
    let run = await outcome("typed", ["--", "WHO=a"])
    #expect(run.output.hasSuffix(#""who":"WHO=a"}"# + "\n"), "\(run)")
  }

  @Test(
    "before the command are refused with the right order",
    arguments: [
      (["who=you", "typed"], "typed who=you"), (["who=you and me"], "COMMAND 'who=you and me'"),
    ])
  func beforeCommand(words: [String], call: String) async {
    let run = await onThread { [folder] in
      Running(Launch(arguments: words, folder: folder.path)).finish()
    }
    #expect(run.errors == "raclette: error: parameters follow their command: raclette \(call)\n")
    #expect(run.status == 2)
  }

  @Test(
    "that a command does not declare arrive as strings",
    arguments: [
      ([], "{}"),
      (["a", "b"], #"["a","b"]"#),
      (["x=1", "--y", "2", "--z=3"], #"{"x":"1","y":"2","z":"3"}"#),
      (["--flag"], #"{"flag":"true"}"#),
      (["--flag", "--other", "x"], #"{"flag":"true","other":"x"}"#),
      (["--", "--help", "x=1"], #"["--help","x=1"]"#),
      (["http://a/?b=c"], #"["http://a/?b=c"]"#),
    ])
  func undeclared(words: [String], json: String) async {
    #expect(await outcome("open", words).output == json + "\n")
  }

  @Test(
    "that are wrong are named, with what is allowed",
    arguments: [
      ([], "parameter 'who' is required"),
      (["a", "--times", "x"], "parameter 'times' takes an integer, got 'x'"),
      (["a", "times=1.5"], "parameter 'times' takes an integer, got '1.5'"),
      (["a", "ratio=x"], "parameter 'ratio' takes a number, got 'x'"),
      (["a", "loud=maybe"], "parameter 'loud' takes a boolean, got 'maybe'"),
      (["a", "--mode", "slow"], "parameter 'mode' cannot be 'slow'; it is one of fast, safe"),
      (
        ["a", "--tmes", "2"],
        "unknown parameter 'tmes'; did you mean 'times'?"
      ),
      (["--nope"], "unknown parameter 'nope'; its parameters are who, times, ratio, loud, mode"),
      (["a", "--times"], "parameter 'times' needs a value: --times VALUE"),
      (["a", "who=b"], "parameter 'who' is given twice"),
      (
        ["a", "1", "2", "true", "fast", "more"],
        "unexpected argument 'more'; its parameters are who, times, ratio, loud, mode"
      ),
    ])
  func wrong(words: [String], message: String) async {
    let run = await outcome("typed", words)
    #expect(run.errors == "raclette: error: typed: \(message)\n")
    #expect(run.output == "")
    #expect(run.status == 2)
  }

  @Test("a command without declared parameters takes words beside --input, but none of them twice")
  func wordsBesideInput() async {
    let both = await outcome("open", ["--input", #"{"a":1}"#, "b=2", "c"])
    #expect(both.output.contains(#""a":1"#) && both.output.contains(#""b":"2""#), "\(both)")
    #expect(both.output.contains(#""c""#), "\(both)")
    let twice = await outcome("open", ["--input", #"{"a":1}"#, "a=2"])
    #expect(twice.errors.contains("parameter 'a' is given twice"), "\(twice)")
    #expect(twice.status == 2)
    let other = await outcome("open", ["--input", "7", "a=2"])
    #expect(other.errors.contains("the input must be an object"), "\(other)")
    #expect(other.status == 2)
  }

  @Test("--input gives the whole input as JSON")
  func json() async {
    let run = await outcome("open", ["--input", #"{"list":[1,2.5,"x"],"deep":{"yes":true}}"#])
    #expect(run.output == #"{"deep":{"yes":true},"list":[1,2.5,"x"]}"# + "\n")
    #expect(await outcome("open", ["--input", "7"]).output == "7\n")
    #expect(await outcome("open", ["--input=\"x\""]).output == "x\n")
  }

  @Test(
    "--input is checked as they are, and stands beside what is given by name",
    arguments: [
      (
        [#"{"who":"a","times":2,"loud":true}"#],
        #"{"loud":true,"mode":"safe","times":2,"who":"a"}"#, ""
      ),
      ([#"{"who":"a"}"#, "times=3"], #"{"loud":false,"mode":"safe","times":3,"who":"a"}"#, ""),
      ([#"{"who":"a","times":"2"}"#], "", #"parameter 'times' takes an integer, got '"2"'"#),
      ([#"{"who":"a","mode":"x"}"#], "", "parameter 'mode' cannot be 'x'; it is one of fast, safe"),
      (["{}"], "", "parameter 'who' is required"),
      (["[1]"], "", "the input must be an object with the parameters"),
      ([" []"], "", "the input must be an object with the parameters"),
      (["7"], "", "the input must be an object with the parameters"),
      (
        [#"{"who":"a","wo":1}"#], "",
        "unknown parameter 'wo'; did you mean 'who'?"
      ),
    ])
  func checkedJSON(words: [String], output: String, message: String) async {
    let run = await outcome("typed", ["--input"] + words)
    #expect(run.output == (output.isEmpty ? "" : output + "\n"))
    #expect(run.errors == (message.isEmpty ? "" : "raclette: error: typed: \(message)\n"))
    #expect(run.status == (message.isEmpty ? 0 : 2))
  }

  @Test("--input that is not JSON is told with its place")
  func badJSON() async {
    let run = await outcome("open", ["--input", "{"])
    #expect(run.errors.hasPrefix("raclette: error: open: the input is not JSON: "))
    #expect(run.errors.hasSuffix("(line 1, column 1)\n"))
    #expect(run.status == 2)
  }

  @Test("--help lists them instead of running the command")
  func help() async {
    let run = await outcome("typed", ["a", "--help"])
    #expect(
      run.output == """
        typed: Shows its input

        Usage: raclette run typed <who> [times] [ratio] [loud] [mode]

        Parameters:
          --who STRING      whom to greet (required)
          --times INTEGER   (default: 1)
          --ratio NUMBER
          --loud            (default: false)
          --mode fast|safe  how (default: safe)

        """)
    #expect(run.status == 0)
  }

  private func outcome(_ command: String, _ words: [String]) async -> Outcome {
    let launch = Launch(arguments: ["run", command] + words, folder: folder.path)
    return await onThread { Running(launch).finish() }
  }
}
