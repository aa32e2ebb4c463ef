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

  /// Executes the command in several runners at the same time. Its work prints "begun", and waits for a
  /// file `free` with the runner's number, `$N`, behind it.
  ///
  /// - Parameters:
  ///   - numbers: those of the runners, in the order in which they begin.
  ///   - order: the same in the order in which they end.
  /// - Returns: their exit statuses, in that order.
  func executeSideBySide(_ numbers: [String], endingIn order: [String]) async -> [Int32] {
    let folder = folder
    return await onThread {
      var runners: [String: Running] = [:]
      for number in numbers {
        let runner = Running(
          Launch(arguments: ["run", "build"], folder: folder.path, environment: ["N": number]))
        runner.waitForOutput("begun")
        runners[number] = runner
      }
      return order.compactMap { number in
        folder.write("", to: "free\(number)")
        return runners[number]?.finish().status
      }
    }
  }
}
