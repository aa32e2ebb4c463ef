import Platform
import Testing

/// The variables that services and detached executions begin with: those of the call that starts them.
@Suite("variables of what a hub runs", .timeLimit(.minutes(5)))
struct HubEnvironmentTests {
  private static let commands = #"""
    rac.command{name = "db", service = true, ready = {line = "up"}, secrets = {"TOKEN"},
      restart = {policy = "on-failure", delay = 0.01},
      run = "echo \"$WORD $TOKEN\" >>log; echo up; while ! test -e crash; do sleep 0.02; done; \
        rm crash; exit 1"}
    rac.command{name = "say", run = "echo \"$WORD\""}
    rac.command{name = "long", run = "exec sleep 600"}
    """#

  private static func call(
    _ folder: HubFolder, _ variables: [String: String], _ arguments: String...
  ) async -> Outcome {
    let launch = Launch(
      arguments: arguments, folder: folder.path,
      environment: folder.environment.merging(variables) { $1 })
    return await onThread { Running(launch).finish() }
  }

  /// Waits until services have written a text to the log.
  private static func wait(for log: String, in folder: HubFolder) async {
    await onThread {
      eventually { folder.log == log }
      return
    }
  }

  /// Lets the hub live on.
  private static func keepHub(_ folder: HubFolder) async {
    let kept = await folder.call("run", "-d", "long")
    #expect(kept.status == 0, "\(kept)")
  }

  @Test("a service has those of its start, through restarts by its rules, until another start")
  func service() async {
    let folder = HubFolder(commands: Self.commands)
    await Self.keepHub(folder)
    _ = await Self.call(folder, ["WORD": "one"], "up", "-d", "db")
    folder.folder.write("", to: "crash")
    await Self.wait(for: "one \none \n", in: folder)
    let restarted = await Self.call(folder, ["WORD": "two"], "restart", "db")
    #expect(restarted.errors == "raclette: db has restarted\n", "\(restarted)")
    folder.folder.write("", to: "crash")
    await Self.wait(for: "one \none \ntwo \ntwo \n", in: folder)
    _ = await folder.call("down")
    _ = await Self.call(folder, ["WORD": "three"], "up", "-d", "db")
    #expect(folder.log == "one \none \ntwo \ntwo \nthree \n")
  }

  @Test("rac.invocation_dir is the folder of the caller, also where the command file reads it")
  func folder() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "here", run = function() return rac.invocation_dir end}
        rac.command{name = "pwd", cwd = rac.invocation_dir, run = "pwd"}
        rac.command{name = "long", run = "exec sleep 600"}
        """#)
    for place in ["a", "b"] { folder.folder.makeFolder(place) }
    await Self.keepHub(folder)
    for place in ["a", "b", "a"] {
      for command in ["here", "pwd"] {
        let launch = Launch(
          arguments: ["run", "-d", command], folder: folder.folder[place],
          environment: folder.environment)
        let started = await onThread { Running(launch).finish() }
        let shown = await folder.call("attach", String(started.output.dropLast()))
        #expect(shown.output == folder.folder[place] + "\n", "\(command): \(started) \(shown)")
      }
    }
  }

  @Test("a service that starts is as the command file is at that time, whatever that reads")
  func data() async {
    let folder = HubFolder(
      commands: #"""
        local config = dofile("config.lua")
        local size = io.open("size"):read("a")
        rac.command{name = "db", service = true, ready = {line = "up"},
          run = "echo " .. config.level .. " " .. size .. ">>log; echo up; exec sleep 600"}
        rac.command{name = "test", needs = "db", run = "echo " .. config.level .. " " .. size}
        rac.command{name = "long", run = "exec sleep 600"}
        """#)
    var log = ""
    for (level, size) in [("low", "small"), ("high", "small"), ("high", "large")] {
      folder.folder.write("return {level = '\(level)'}", to: "config.lua")
      folder.folder.write(size, to: "size")
      if log.isEmpty { await Self.keepHub(folder) }
      let test = await folder.call("-q", "test")
      #expect(test.output == "\(level) \(size)\n", "\(test)")
      log += test.output
      #expect(folder.log == log)
    }
  }

  @Test("--env-file counts, any bytes are values, and what the caller lacks is not there")
  func files() async {
    let folder = HubFolder(commands: Self.commands)
    _ = await Self.call(folder, ["WORD": "of the hub"], "run", "-d", "long")
    folder.folder.write("WORD=of the file\n", to: "words.env")
    _ = await folder.call("--env-file", "words.env", "run", "-d", "say")
    #expect(await folder.call("attach", "2").output == "of the file\n")
    _ = await folder.call("run", "-d", "say")
    #expect(await folder.call("attach", "3").output == "\n")
    let bytes = await shell(
      "WORD=$(printf '\\377\\200=') raclette run -d say && raclette attach 4 | od -An -tx1",
      in: folder.folder)
    #expect(bytes.lines == ["4", " ff 80 3d 0a"], "\(bytes)")
    let long = String(repeating: "x", count: 120_000)
    let many = Dictionary(
      uniqueKeysWithValues: (0..<12).map { ("LONG_\($0)", long) } + [("WORD", "long")])
    _ = await Self.call(folder, many, "run", "-d", "say")
    #expect(await folder.call("attach", "5").output == "long\n")
  }

  @Test("functions, processes of functions, needs and conditions have them")
  func functions() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "need", run = "echo need $WORD"}
        rac.command{name = "asked", run = "true",
          enabled = function() return rac.env.WORD == "two", "WORD is " .. tostring(rac.env.WORD) end}
        rac.command{name = "all", needs = "need",
          enabled = function() return rac.env.WORD == "two" end,
          run = function()
            print("env " .. tostring(rac.env.WORD), "os " .. tostring(os.getenv "WORD"))
            print("exec " .. rac.exec{"sh", "-c", "echo $WORD"}:first())
            print("popen " .. io.popen("echo $WORD"):read("l"))
            rac.env.WORD = "changed"
            print("set " .. rac.exec{"sh", "-c", "echo $WORD"}:first())
          end}
        rac.command{name = "long", run = "exec sleep 600"}
        """#)
    await Self.keepHub(folder)
    let refused = await Self.call(folder, ["WORD": "one"], "run", "-d", "asked")
    #expect(
      refused.errors == "raclette: error: the command 'asked' is not enabled: WORD is one\n",
      "\(refused)")
    let started = await Self.call(folder, ["WORD": "two"], "run", "-d", "all")
    let attached = await folder.call("attach", "\(started.output.dropLast())")
    #expect(
      attached.output == """
        need two
        env two\tos two
        exec two
        popen two
        set changed

        """, "\(started) \(attached)")
  }

  @Test("what a definition reads when it is loaded is what the caller has")
  func definitions() async {
    let folder = HubFolder(
      commands: #"""
        local word = os.getenv "WORD" or "none"
        rac.env.PATHS = "first:" .. (rac.env.PATHS or "")
        rac.command{name = "say", run = "echo " .. word .. " $PATHS"}
        rac.command{name = "db", service = true, ready = {line = "up"}, env = {WORD = word},
          run = "echo $WORD $PATHS >>log; echo up; exec sleep 600"}
        """#)
    for (index, word) in ["one", "two"].enumerated() {
      _ = await Self.call(folder, ["WORD": word, "PATHS": word], "run", "-d", "say")
      #expect(await folder.call("attach", "\(index + 1)").output == "\(word) first:\(word)\n")
    }
    let variables = ["WORD": "one", "PATHS": "one"]
    _ = await Self.call(folder, variables, "up", "-d", "db")
    let other = ["WORD": "two", "PATHS": "two"]
    let joined = await Self.call(folder, other, "up", "-d", "db")
    #expect(
      joined.errors == """
        raclette: db runs with an earlier definition, because 'raclette up -d' uses it; to use \
        the current one: raclette :restart db
        raclette: db is ready
        raclette: db is held until 'raclette down'

        """, "\(joined)")
    // It does not load the command file itself.
    _ = await Self.call(folder, other, "restart", "db")
    #expect(folder.log == "one first:one\ntwo first:two\n")
  }

  @Test("who uses a service that names a variable with another value is told once, without values")
  func difference() async {
    let folder = HubFolder(commands: Self.commands)
    _ = await Self.call(
      folder, ["WORD": "one", "TOKEN": "hunter2", "OTHER": "1"], "up", "-d", "db")
    let same = await Self.call(
      folder, ["WORD": "one", "TOKEN": "hunter2", "OTHER": "2"], "up", "-d", "db")
    #expect(
      same.errors == """
        raclette: db is ready
        raclette: db is held until 'raclette down'

        """, "\(same)")
    let other = await Self.call(folder, ["WORD": "one", "TOKEN": "hunter3"], "up", "-d", "db")
    #expect(
      other.errors == """
        raclette: db runs with a different value of TOKEN; to use the current one: \
        raclette :restart db
        raclette: db is ready
        raclette: db is held until 'raclette down'

        """, "\(other)")
    let both = await Self.call(folder, ["TOKEN": "hunter2x"], "up", "-d", "db")
    #expect(
      both.errorLines.first == """
        raclette: db runs with different values of TOKEN and WORD; to use the current ones: \
        raclette :restart db
        """, "\(both)")
  }

  @Test("secrets in them are shown nowhere, and in no file")
  func secrets() async {
    let folder = HubFolder(
      commands: #"""
        rac.command{name = "show", secrets = {"TOKEN"}, run = "echo the $TOKEN; exit 3"}
        rac.command{name = "db", service = true, ready = {line = "up"}, secrets = {"TOKEN"},
          run = "echo $TOKEN; echo up; exec sleep 600"}
        """#)
    let variables = ["TOKEN": "hunter2", "PLAIN": "as-it-is"]
    // The first one starts the hub.
    _ = await folder.call("run", "-d", "show")
    _ = await Self.call(folder, variables, "run", "-d", "show")
    _ = await Self.call(folder, variables, "up", "-d", "db")
    let attached = await folder.call("attach", "2")
    #expect(attached.output == "the ***\n", "\(attached)")
    #expect(await folder.logs("db") == "***\nup\n")
    for arguments in [["ps"], ["ps", "--json"]] {
      let listed = await onThread {
        Running(
          Launch(arguments: arguments, folder: folder.path, environment: folder.environment)
        ).finish()
      }
      #expect(!listed.output.contains("hunter2") && !listed.output.contains("as-it-is"))
    }
    let found = await shell("grep -rlE 'hunter2|as-it-is' .raclette; true", in: folder.folder)
    #expect(found.output == "", "\(found)")
  }

  @Test("a killed hub's successor brings held services up with the variables of its own caller")
  func successor() async {
    let folder = HubFolder(commands: Self.commands)
    _ = await Self.call(folder, ["WORD": "one"], "up", "-d", "db")
    kill(folder.process, SIGKILL)
    await onThread { folder.waitForEndOfHub() }
    _ = await Self.call(folder, ["WORD": "two"], "ps")
    await Self.wait(for: "one \ntwo \n", in: folder)
  }
}
