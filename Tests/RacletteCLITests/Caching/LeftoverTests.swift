import Platform
import Testing

@Suite("cached commands: outputs that no execution has made", .timeLimit(.minutes(5)))
struct LeftoverTests {
  private func uncached(_ path: String) -> String {
    "warning: the result of 'build' is not cached: it left '\(path)' as it was, which may be another "
      + "command's or of an earlier state: remove it, or exclude it with '!\(path)' in 'outputs'\n"
  }

  @Test("keep a result from being stored, also when the state knows them as outputs")
  func refused() async {
    let project = CachedProject(outputs: #""out/**""#, run: "mkdir -p out; cat src >out/a")
    project.folder.write("foreign", to: "one/out/b")
    symlink("a", project.folder["one/out/c"])
    #expect(await project.run("build") == ("", uncached("out/b"), 0))
    #expect(await project.run("build") == ("", "raclette: build is up to date\n", 0))
    project.folder.write("second", to: "one/src")
    project.folder.remove("one/out/b")
    #expect(
      await project.run("explain", "build") == (
        """
        build: not up to date
          the source 'src' has changed
          the output 'out/b' is gone
          the output 'out/c' may be another command's or of an earlier state: the result is \
        cached only if the next execution makes it

        """, "", 0
      ))
    #expect(await project.run("build") == ("", uncached("out/c"), 0))
    #expect(project.stored("ac") == [])
    project.folder.remove("one/out/c")
    #expect(await project.run("build") == ("", "", 0))
    project.folder.write("second", to: "two/src")
    #expect(await project.run("build", in: "two") == ("", restored, 0))
    #expect(names(inFolder: project.folder["two/out"]) == ["a"])
  }

  @Test("stay when results are restored next to them")
  func kept() async {
    let project = CachedProject(
      outputs: #""out/**""#, run: "mkdir -p out; cat src >out/$(cat src)")
    for source in ["first", "second"] {
      project.folder.write(source, to: "one/src")
      project.folder.remove("one/out/first")
      #expect(await project.run("build") == ("", "", 0))
    }
    project.folder.write("mine", to: "two/out/mine")
    for source in ["first", "second"] {
      project.folder.write(source, to: "two/src")
      #expect(await project.run("build", in: "two") == ("", restored, 0))
      #expect(names(inFolder: project.folder["two/out"])?.sorted() == [source, "mine"].sorted())
    }
  }

  @Test("are none of those that earlier executions have made, by the state or the latest result")
  func made() async {
    let project = CachedProject(
      outputs: #""out/**""#,
      run: "mkdir -p out; cat src >out/a; cd out; [ -e kept ] || { echo x >kept; ln -s a link; }")
    #expect(await project.run("build") == ("", "", 0))
    project.folder.write("second", to: "one/src")
    #expect(await project.run("build") == ("", "", 0))
    _ = await shell("rm -r one/.raclette", in: project.folder)
    project.folder.write("third", to: "one/src")
    #expect(await project.run("build") == ("", "", 0))
    #expect(project.stored("ac").count == 3)
    _ = await shell("rm -r one/.raclette", in: project.folder)
    project.folder.write("edited", to: "one/out/kept")
    project.folder.write("fourth", to: "one/src")
    #expect(await project.run("build") == ("", uncached("out/kept"), 0))
  }

  /// What an incremental build does: it makes what is not as it should be.
  private static let incremental = """
    mkdir -p out
    [ -e out/a ] || echo first >out/a
    case $(cat src) in
    fail) echo half >out/a; exit 1 ;;
    kill) kill -9 $PPID; exit ;;
    wait) echo other >out/a; sleep 600 & trap 'echo late >out/c; exit 1' TERM; echo up; wait ;;
    esac
    cp src out/b
    """

  @Test("are none of those that executions have made which failed, before one that was killed")
  func failed() async {
    let project = CachedProject(outputs: #""out/**""#, run: Self.incremental)
    for (source, status) in [("first", 0), ("fail", 1), ("kill", 137)] as [(String, Int32)] {
      project.folder.write(source, to: "one/src")
      #expect(await project.run("build").status == status)
    }
    for source in ["second", "third"] {
      project.folder.write(source, to: "one/src")
      #expect(await project.run("build") == ("", "", 0))
      project.folder.write(source, to: "two/src")
      #expect(await project.run("build", in: "two") == ("", restored, 0))
      #expect(project.content("two/out/a") == "half\n")
    }
  }

  @Test("are none of those that executions have made which were ended, also while they ended")
  func cancelled() async {
    let project = CachedProject(outputs: #""out/**""#, run: Self.incremental)
    #expect(await project.run("build") == ("", "", 0))
    project.folder.write("wait", to: "one/src")
    let ended = await onThread {
      let running = Running(
        Launch(
          arguments: ["build"], folder: project.folder["one"], environment: project.environment))
      running.waitForOutput("up")
      running.get(signal: SIGINT)
      return running.finish()
    }
    #expect(ended.status == 130, "\(ended)")
    #expect(project.content("one/out/c") == "late\n")
    project.folder.write("second", to: "one/src")
    #expect(await project.run("build") == ("", "", 0))
    project.folder.write("second", to: "two/src")
    #expect(await project.run("build", in: "two") == ("", restored, 0))
    #expect(project.content("two/out/a") == "other\n")
  }

  @Test("are not read after a failed execution, nor before the next one")
  func large() async {
    // To read a terabyte takes longer than the test may.
    let project = CachedProject(
      outputs: #""out/**""#,
      run: "mkdir -p out; case $(cat src) in large) truncate -s 1T out/b; exit 1;; esac; "
        + "rm -f out/b; cp src out/a")
    for (source, status) in [("first", 0), ("large", 1), ("large", 1)] as [(String, Int32)] {
      project.folder.write(source, to: "one/src")
      #expect(await project.run("build").status == status)
    }
    project.folder.write("second", to: "one/src")
    #expect(await project.run("build") == ("", "", 0))
    project.folder.write("second", to: "two/src")
    #expect(await project.run("build", in: "two") == ("", restored, 0))
  }

  @Test("are files that appeared between a failed execution and the next one")
  func foreign() async {
    let project = CachedProject(outputs: #""out/**""#, run: Self.incremental)
    project.folder.write("fail", to: "one/src")
    #expect(await project.run("build").status == 1)
    project.folder.write("edited", to: "one/out/a")
    project.folder.write("second", to: "one/src")
    #expect(await project.run("build") == ("", uncached("out/a"), 0))
  }

  @Test("are those of a source that is gone, as long as they are there")
  func stale() async {
    let project = CachedProject(
      more: """
        rac.command{name = "all", cache = true, sources = "in/*", outputs = "out/*",
          run = "mkdir -p out; for f in in/*; do cp $f out/${f#in/}.o; done"}
        """)
    project.folder.write("1", to: "one/in/a")
    project.folder.write("1", to: "one/in/b")
    #expect(await project.run("all") == ("", "", 0))
    project.folder.remove("one/in/b")
    project.folder.write("2", to: "one/in/a")
    let stale = """
      warning: the result of 'all' is not cached: it left 'out/b.o' of an earlier execution as it was, \
      and since then the source 'in/b' is gone; remove 'out/b.o'

      """
    #expect(await project.run("all") == ("", stale, 0))
    // The next execution does not know of the source any more.
    project.folder.write("3", to: "one/in/a")
    let unknown = uncached("out/b.o").replacing("'build'", with: "'all'")
    #expect(await project.run("all") == ("", unknown, 0))
    project.folder.write("4", to: "one/in/a")
    project.folder.remove("one/out/b.o")
    #expect(await project.run("all") == ("", "", 0))
    project.folder.write("4", to: "two/in/a")
    #expect(
      await project.run("all", in: "two")
        == ("", restored.replacing("build", with: "all"), 0))
    #expect(names(inFolder: project.folder["two/out"]) == ["a.o"])
  }

  @Test(
    "are those of a source that is gone, whatever has become of the state",
    arguments: ["echo fail >in/a; ! raclette -q all 2>/dev/null", "rm -r .raclette"])
  func staleWithoutState(_ event: String) async {
    let project = CachedProject(
      more: """
        rac.command{name = "all", cache = true, sources = "in/*", outputs = "out/*",
          run = "mkdir -p out; for f in in/*; do cp $f out/${f#in/}.o; done; ! grep -q fail in/a"}
        """)
    for name in ["a", "b"] { project.folder.write("1", to: "one/in/\(name)") }
    #expect(await project.run("all") == ("", "", 0))
    let happened = await shell(
      "export XDG_CACHE_HOME=$PWD/cache; cd one; rm in/b; \(event)", in: project.folder)
    #expect(happened.status == 0, "\(happened)")
    project.folder.write("2", to: "one/in/a")
    let warning = uncached("out/b.o").replacing("'build'", with: "'all'")
    #expect(await project.run("all") == ("", warning, 0))
  }

  @Test("are those of another definition")
  func redefined() async {
    let project = CachedProject(
      outputs: #""out/**""#, run: "mkdir -p out; [ -e out/a ] || echo x >out/a; cp src out/b")
    #expect(await project.run("build") == ("", "", 0))
    project.folder.write(
      (project.content("one/commands.lua") ?? "").replacing("echo x", with: "echo y"),
      to: "one/commands.lua")
    let stale = """
      warning: the result of 'build' is not cached: it left 'out/a' of an earlier execution as it was, \
      and since then its definition has changed: 'run'; remove 'out/a'

      """
    #expect(await project.run("build") == ("", stale, 0))
    project.folder.remove("one/out/a")
    #expect(await project.run("build") == ("", "", 0))
  }
}
