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
    var fresh: [(file: StarterFiles, name: String)] = []
    var placed: [String] = []
    do throws(UnwritableFile) {
      for file in all {
        if !file.isGenerated, access(file.path, F_OK) == 0 {
          report.say("\(file.path) is there already, and stays as it is")
          continue
        }
        folders += file.makeFolders()
        fresh.append((file, try file.write()))
      }
      for (file, name) in fresh where try file.place(name) { placed.append(file.path) }
    } catch {
      for (_, name) in fresh { unlink(name) }
      // One that has been replaced was Raclette's own, and is the last.
      for path in placed { unlink(path) }
      for folder in folders.reversed() { rmdir(folder) }
      throw error
    }
    for path in placed { report.say("wrote \(path)") }
  }

  /// - Returns: the folders that were missing.
  private func makeFolders() -> [String] {
    path.indices.filter { path[$0] == "/" }.map { String(path[..<$0]) }
      .filter { mkdir($0, 0o777) == 0 }
  }

  /// Writes it beside its place, to be put there when all are written.
  private func write() throws(UnwritableFile) -> String {
    let mask = umask(0)
    umask(mask)
    guard let (file, name) = makeFile(beside: path, 0o666 & ~mask) else {
      throw UnwritableFile(path: path, code: errno)
    }
    var code: Int32 = 0
    // A file system may find only at the end that it is full.
    if fputs(text, file) < 0 || fflush(file) != 0 || fsync(fileno(file)) != 0 { code = errno }
    if fclose(file) != 0, code == 0 { code = errno }
    guard code == 0 else {
      unlink(name)
      throw UnwritableFile(path: path, code: code)
    }
    return name
  }

  /// Puts what was written in its place.
  ///
  /// - Returns: whether it is there; false if somebody else's has come there meanwhile.
  private func place(_ name: String) throws(UnwritableFile) -> Bool {
    if isGenerated {
      guard rename(name, path) == 0 else { throw UnwritableFile(path: path, code: errno) }
      return true
    }
    if link(name, path) == 0 {
      unlink(name)
      return true
    }
    let code = errno
    if code == EEXIST {
      unlink(name)
      return false
    }
    // Some file systems have no links.
    guard rename(name, path) == 0 else { throw UnwritableFile(path: path, code: code) }
    return true
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
