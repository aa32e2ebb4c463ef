import Platform
import Testing

@Suite("cached commands: what counts", .timeLimit(.minutes(5)))
struct CacheKeyTests {
  @Test("a command gets only the variables that it names and a few, and these count")
  func variables() async {
    let project = CachedProject(
      fields: #"pass_env = {"STAGE"}, env = {OWN = "own"},"#,
      run: #"echo "$STAGE $OWN ${OTHER-none} ${HOME:+home} ${RACLETTE_X-none}" | tee out"#)
    let variables = ["STAGE": "test", "OTHER": "x", "RACLETTE_X": "y"]
    #expect(await project.run("build", with: variables) == ("test own none home y\n", "", 0))
    let other = ["STAGE": "test", "OTHER": "z", "RACLETTE_X": "y"]
    #expect(
      await project.run("build", in: "two", with: other) == (
        "test own none home y\n", restored, 0
      ))
    #expect(
      await project.run("build", in: "two", with: ["STAGE": "live"]) == (
        "live own none home none\n", "", 0
      ))
    #expect(
      await project.run("explain", "build", in: "two", with: ["STAGE": "test"]) == (
        """
        build: not up to date
          its definition has changed: the variable 'STAGE'
          the cache has its result, which took TIME

        """, "", 0
      ))
  }

  @Test("rac.env of a cached command has the same variables, and so has what it executes")
  func environmentInLua() async {
    let project = CachedProject(
      more: """
        rac.command{name = "inner", run = "echo ${OTHER-none} ${STAGE-none}"}
        rac.command{name = "outer", cache = true, outputs = "out", pass_env = {"STAGE"},
          run = function()
            rac.sh("touch out"):wait()
            local inner = rac.commands.inner:execute():first()
            return rac.just(tostring(rac.env.OTHER) .. " " .. rac.env.STAGE .. " " .. inner)
          end}
        """)
    #expect(
      await project.run("outer", with: ["OTHER": "x", "STAGE": "test"]) == (
        "nil test none test\n", "", 0
      ))
  }

  @Test("explain names the first difference from what the cache has")
  func explain() async {
    let project = CachedProject()
    _ = await project.run("build")
    project.folder.write("second", to: "two/src")
    #expect(
      await project.run("explain", "build", in: "two") == (
        """
        build: not up to date
          it was not executed with this input yet
          the cache has no such result; since the latest one the source 'src' has changed

        """, "", 0
      ))
    project.folder.write("first", to: "two/src")
    #expect(
      await project.run("explain", "build", in: "two") == (
        """
        build: not up to date
          it was not executed with this input yet
          the cache has its result, which took TIME

        """, "", 0
      ))
  }

  @Test("failed, changed and outside results are not stored")
  func unstored() async {
    let failing = CachedProject(run: "echo x >out; exit 3")
    #expect(await failing.run("build").status == 3)
    #expect(failing.stored("ac") == [])
    let changing = CachedProject(run: "cat src >out; echo other >src")
    #expect(await changing.run("build").status == 0)
    #expect(changing.stored("ac") == [])
    let restoring = CachedProject(run: "cat src >out; cp src src.new; echo x >src; mv src.new src")
    #expect(await restoring.run("build").status == 0)
    #expect(restoring.stored("ac") == [])
    let outside = CachedProject(outputs: #""../far""#, run: "cat src >../far")
    #expect(
      await outside.run("build") == (
        "",
        "warning: the result of 'build' is not cached: its output '../far' is outside the folder of the command file\n",
        0
      ))
  }

  @Test("--force executes, and stores what it made")
  func forced() async {
    let project = CachedProject()
    _ = await project.run("build")
    #expect(await project.run("--force", "build") == ("made\n", "warned\n", 0))
    #expect(await project.run("build", in: "two") == ("made\n", "\(restored)warned\n", 0))
  }

  @Test(
    "mistakes are found when the file loads",
    arguments: [
      (#"cache = true, run = "x""#, "field 'cache' needs 'outputs', the files that are stored"),
      (
        #"cache = true, outputs = "out", interactive = true, run = "x""#,
        "the fields 'cache' and 'interactive' exclude each other"
      ),
      (
        #"cache = true, outputs = "out", stdin = true, run = "x""#,
        "the fields 'cache' and 'stdin' exclude each other"
      ),
      (
        #"pass_env = {"A"}, run = "x""#, "field 'pass_env' is for cached commands: cache = true"
      ),
      (
        #"cache = true, outputs = "out", pass_env = {"A=B"}, run = "x""#,
        "field 'pass_env' has 'A=B', which is not the name of a variable"
      ),
      (
        #"cache = "yes", outputs = "out", run = "x""#,
        "field 'cache' must be a boolean, got string"
      ),
      (#"cache = true, service = true, run = "x""#, "field 'cache' cannot be used with 'service'"),
    ])
  func mistakes(definition: String, message: String) async {
    let folder = Folder(commands: "rac.command{name = \"build\", \(definition)}")
    let run = await raclette("list", in: folder)
    #expect(
      run.errors == "raclette: error: commands.lua:1: bad argument #1 to 'command' (\(message))\n")
    #expect(run.status == 3)
  }

  @Test("check says what is never stored")
  func check() async {
    let project = CachedProject(
      outputs: #""/var/far/**""#,
      more: """
        rac.command{name = "db", service = true, run = "sleep 100", ready = {path = "x"}}
        rac.command{name = "test", needs = {"db"}, cache = true, outputs = "report", run = "x"}
        rac.command{name = "known", needs = {"db"}, cache = true, outputs = "known", run = "x",
          fingerprint = function() return 1 end}
        """)
    let run = await project.run("check")
    #expect(
      run == (
        """
        commands.lua:1: the result of 'build' is never cached: its output '/var/far/**' is outside the folder of the command file
        commands.lua:4: the result of 'test' is never cached: it uses the service 'db', whose state counts only by a 'fingerprint'

        """, "", 1
      ))
  }

  @Test(
    "what touched a service is not stored: through a need, a step, or a function",
    arguments: [
      (#"needs = "mid", run = "date +%N >report""#, true),
      (#"steps = {{command = "mid"}, "date +%N >report"}"#, true),
      (
        #"""
        run = function()
          rac.commands.mid:execute():wait()
          return rac.exec{"sh", "-c", "date +%N >report"}
        end
        """#, false
      ),
    ])
  func services(_ work: String, _ isKnown: Bool) async {
    let project = CachedProject(
      more: """
        rac.command{name = "db", service = true, run = "echo up; exec sleep 600", ready = {line = "up"}}
        rac.command{name = "mid", needs = "db", run = "true"}
        rac.command{name = "test", cache = true, outputs = "report", \(work)}
        """)
    let warning =
      "warning: the result of 'test' is not cached: it uses the service 'db', whose state counts only by "
      + "a 'fingerprint'\n"
    for _ in 0..<2 {
      let run = await project.run("test")
      #expect(run.errors.hasSuffix(warning), "\(run)")
      #expect(run.status == 0)
      project.folder.remove("one/report")
    }
    let check = await project.run("check")
    #expect(check.output.contains("the result of 'test' is never cached") == isKnown, "\(check)")
  }
}
