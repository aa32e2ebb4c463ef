import LuaRuntime
import Platform
import Scripting

extension Subcommand {
  static let initialize: Subcommand = Subcommand(
    name: "init", arguments: "[DIR]",
    summary: "Write a first command file, and what an editor needs to complete it", options: [],
    passesArguments: false
  ) { line in
    if line.words.count > 1 {
      throw UsageError.unexpectedArgument(line.words[1], usage: Subcommand.initialize.usage)
    }
    try line.enterDirectory()
    let folder = line.words.first
    let isNew = folder.map { mkdir($0, 0o777) == 0 } ?? false
    if let folder { try CommandFile.enter(folder) }
    let report = Report(
      style: Style(option: line[.color], descriptor: STDERR_FILENO), isQuiet: line.has(.quiet),
      isVerbose: line.has(.verbose))
    do { try StarterFiles.writeAll(report) } catch {
      if isNew, let folder, chdir("..") == 0 { rmdir(CommandFile.split(folder).name) }
      throw error
    }
    report.say("now: raclette list; raclette run hello")
    return ExitStatus.success
  }
}

/// A file of a new project that cannot be written.
private struct UnwritableFile: Error, CustomStringConvertible {
  let path: String
  let code: Int32

  var description: String { "cannot write \(path): \(systemErrorText(code))" }
}

/// The files of a new project.
private struct StarterFiles {
  let path: String
  let text: String
  /// Whether one that is there is Raclette's own, to be made anew.
  var isGenerated = false

  static let all = [
    StarterFiles(path: "commands.lua", text: commands),
    StarterFiles(path: ".luarc.json", text: languageServer),
    StarterFiles(path: ".raclette/library/rac.lua", text: Library.stubs(), isGenerated: true),
  ]

  /// Writes all of them, or none: those that are there already stay.
  static func writeAll(_ report: Report) throws(UnwritableFile) {
    var folders: [String] = []
    var written: [(temporary: String, path: String)] = []
    do throws(UnwritableFile) {
      for file in all {
        if !file.isGenerated, access(file.path, F_OK) == 0 {
          report.say("\(file.path) is there already, and stays as it is")
          continue
        }
        folders += file.makeFolders()
        written.append((try file.write(), file.path))
      }
    } catch {
      for file in written { unlink(file.temporary) }
      for folder in folders.reversed() { rmdir(folder) }
      throw error
    }
    for file in written {
      guard rename(file.temporary, file.path) == 0 else {
        throw UnwritableFile(path: file.path, code: errno)
      }
      report.say("wrote \(file.path)")
    }
  }

  /// - Returns: the folders that were missing.
  private func makeFolders() -> [String] {
    path.indices.filter { path[$0] == "/" }.map { String(path[..<$0]) }
      .filter { mkdir($0, 0o777) == 0 }
  }

  /// Writes it under another name, to be renamed when all are there.
  private func write() throws(UnwritableFile) -> String {
    let temporary = "\(path).\(getpid()).part"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw UnwritableFile(path: path, code: errno) }
    defer { close(descriptor) }
    var text = text
    var code = text.withUTF8 { Terminal.write(UnsafeRawBufferPointer($0), to: descriptor) }
    // A file system may find only now that it is full.
    if code == 0, fsync(descriptor) != 0 { code = errno }
    guard code == 0 else {
      unlink(temporary)
      throw UnwritableFile(path: path, code: code)
    }
    return temporary
  }

  private static let languageServer = """
    {
      "runtime.version": "Lua 5.4",
      "workspace.library": [".raclette/library"],
      "diagnostics.globals": ["rac"]
    }

    """

  private static let commands = """
    -- The commands of this project: `raclette list` shows them, `raclette run NAME` executes one.
    local rac = require "rac"

    rac.command {
      name = "hello",
      summary = "Greet somebody",
      params = {
        {name = "who", default = "world", help = "whom to greet"},
        {name = "times", type = "integer", default = 1, help = "how often"},
      },
      -- `emit` prints a value; what is returned is printed too, and a returned signal as it comes.
      run = function(input, emit)
        for _ = 1, input.times do emit("hello, " .. input.who) end
      end,
    }

    rac.command {
      name = "build",
      summary = "Compile the project",
      needs = {"fetch"},  -- executed before, once a run
      timeout = 600,
      run = function() return rac.sh("echo replace this by your compiler") end,
    }

    rac.command {
      name = "fetch",
      summary = "Fetch what the build needs",
      private = true,  -- not in the list
      retry = {times = 2, delay = 1},
      run = function() return rac.exec{"echo", "fetching"} end,
    }

    rac.command {
      name = "clean",
      summary = "Remove what was built",
      enabled = rac.file_exists("build"),  -- a live condition
      run = function() return rac.exec{"rm", "-r", "build"} end,
    }

    """
}
