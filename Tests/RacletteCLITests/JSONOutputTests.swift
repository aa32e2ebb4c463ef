import Scripting
import Testing

@Suite("--json", .timeLimit(.minutes(5)))
struct JSONOutputTests {
  @Test(
    "standard output has only documents, whatever the command file prints while it loads",
    arguments: ["list", "show page", "status page", "explain page", "run page", "run -n page"])
  func printing(words: String) async {
    let folder = Folder(
      commands: #"""
        print("loading")
        io.write("still loading\n")
        rac.command{name = "page", sources = "text", outputs = "page", run = "cp text page"}
        """#)
    folder.write("text", to: "text")
    var arguments = words.split(separator: " ").map(String.init)
    // What follows a command is for the command.
    arguments.insert("--json", at: 1)
    let launch = Launch(arguments: arguments, folder: folder.path)
    let run = await onThread { Running(launch).finish() }
    for line in run.lines { #expect(JSONValue(parsing: line.utf8) != nil, "\(line)") }
    #expect(!run.lines.isEmpty && run.errors.contains("loading\nstill loading\n"), "\(run)")
  }
}
