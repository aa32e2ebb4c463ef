import Platform
import Testing

/// A folder with commands for plans, and what a batch left in it.
final class BatchFolder: Sendable {
  let folder: Folder

  init(_ commands: String = BatchFolder.commands, plan: [String] = []) {
    folder = Folder(commands: commands)
    folder.write(plan.map { $0 + "\n" }.joined(), to: "plan.jsonl")
  }

  /// Commands that leave a trace in files of their own.
  static let commands = """
    local rac = require "rac"
    local function append(name, text)
      local file = assert(io.open(name, "a"))
      file:write(text, "\\n")
      file:close()
    end
    rac.command {name = "note", concurrency = "unlimited",
      params = {{name = "to", required = true}, {name = "text", default = "x"}},
      run = function(input) append(input.to, input.text) return input.text end}
    rac.command {name = "fail", run = function() error("it does not work", 0) end}
    rac.command {name = "sleep", concurrency = "unlimited",
      run = function(input) rac.sleep(input.seconds) end}
    """

  func batch(_ arguments: String..., input: String = "") async -> Outcome {
    await batch(arguments, input: input)
  }

  func batch(_ arguments: [String], input: String = "") async -> Outcome {
    let launch = Launch(
      arguments: ["batch"] + arguments + ["--progress", "never"], folder: folder.path,
      input: .text(input))
    return await onThread { Running(launch).finish() }
  }

  /// The lines of a file, none if there is none.
  func lines(_ name: String) -> [String] {
    guard let file = fopen(folder[name], "re") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var space = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&space, 1, space.count, file)
      if count == 0 { break }
      bytes += space[..<count]
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}

/// A line of a plan for the command `note`.
func note(_ text: String, to name: String = "notes") -> String {
  #"{"command": "note", "input": {"to": "\#(name)", "text": "\#(text)"}}"#
}
