import LuaRuntime
import Platform
import Scripting

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

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
    if let folder = line.words.first {
      mkdir(folder, 0o777)
      try CommandFile.enter(folder)
    }
    let report = Report(
      style: Style(option: line[.color], descriptor: STDERR_FILENO), isQuiet: line.has(.quiet),
      isVerbose: line.has(.verbose))
    for file in StarterFiles.all { try file.write(report) }
    report.say("now: raclette list; raclette run hello")
    return ExitStatus.success
  }
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

  func write(_ report: Report) throws(UsageError) {
    for index in path.indices where path[index] == "/" { mkdir(String(path[..<index]), 0o777) }
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (isGenerated ? O_TRUNC : O_EXCL)
    let descriptor = open(path, flags, 0o666)
    guard descriptor >= 0 else {
      if errno == EEXIST { return report.say("\(path) is there already, and stays as it is") }
      throw .file(path, reason: systemErrorText(errno))
    }
    defer { close(descriptor) }
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw .file(path, reason: systemErrorText(errno)) }
      bytes = bytes.dropFirst(count)
    }
    report.say("wrote \(path)")
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
