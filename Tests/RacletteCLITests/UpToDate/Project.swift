import Platform
import Testing

/// A folder with a command `build` that makes `out` of the files in `src`.
struct Project {
  let folder: Folder

  /// - Parameters:
  ///   - fields: what its definition says beside name, sources, outputs and `run`.
  ///   - before: what stands before the definition.
  init(
    sources: String = #""src/**""#, outputs: String = #""out""#, fields: String = "",
    before: String = "", run: String = #"rac.sh("cat src/* >out 2>/dev/null; echo made")"#,
    files: [String: String] = ["src/a": "one", "src/b": "two"]
  ) {
    folder = Folder(files)
    folder.write(
      """
      \(before)
      rac.command{name = "build", sources = {\(sources)}, outputs = {\(outputs)}, \(fields)
        run = function(input, emit) return \(run) end}
      """, to: "commands.lua")
  }

  /// Runs `build`, which must succeed.
  ///
  /// - Returns: whether it was executed, rather than left out.
  func builds(_ arguments: String...) async -> Bool {
    let words =
      ["raclette run"] + arguments + (arguments.contains { !$0.hasPrefix("-") } ? [] : ["build"])
    let run = await shell(words.joined(separator: " "), in: folder)
    #expect(run.status == 0, "\(run)")
    return !run.errors.contains("is up to date")
  }

  /// What `explain` says after the first line.
  func changes() async -> [String] {
    let run = await raclette("explain", "build", in: folder)
    return run.lines.dropFirst().map { String($0.drop { $0 == " " }) }
  }

  /// Executes the command in two runners: the second, in whose environment `N` is 0 instead of 1, waits
  /// for the first, whose work prints "begun" and waits for a file `free1`.
  ///
  /// - Parameter end: called with the first when the second waits.
  func executeOneBehindTheOther(
    _ end: @escaping @Sendable (Running) -> Void = { _ in }
  ) async -> (first: Outcome, second: Outcome) {
    let folder = folder
    return await onThread {
      let launch = { (number: String) in
        Launch(arguments: ["run", "build"], folder: folder.path, environment: ["N": number])
      }
      let first = Running(launch("1"))
      first.waitForOutput("begun")
      let second = Running(launch("0"))
      second.waitForErrors("raclette: 'build' waits: process \(first.pid) in \(folder.path) has")
      folder.write("", to: "free1")
      end(first)
      return (first.finish(), second.finish())
    }
  }
}
