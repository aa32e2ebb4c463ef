import Platform
import Testing

@Suite("cached commands: restoring", .timeLimit(.minutes(5)))
struct RestoringTests {
  @Test("another checkout gets the outputs and what was said")
  func anotherCheckout() async {
    let project = CachedProject()
    #expect(await project.run("build") == ("made\n", "warned\n", 0))
    #expect(await project.run("build", in: "two") == ("made\n", "\(restored)warned\n", 0))
    #expect(project.content("two/out") == "first")
    #expect(
      await project.run("build", in: "two") == ("made\n", "raclette: build is up to date\n", 0))
  }

  @Test("a state that was built before is restored, also without its outputs")
  func switchedBack() async {
    let project = CachedProject()
    _ = await project.run("build")
    project.folder.write("second", to: "one/src")
    #expect(await project.run("build") == ("made\n", "warned\n", 0))
    project.folder.write("first", to: "one/src")
    #expect(await project.run("build") == ("made\n", "\(restored)warned\n", 0))
    #expect(project.content("one/out") == "first")
    project.folder.remove("one/out")
    #expect(await project.run("build") == ("made\n", "\(restored)warned\n", 0))
    #expect(project.content("one/out") == "first")
  }

  @Test("all kinds of outputs come back, and what the last execution has made beside them goes")
  func kinds() async {
    let project = CachedProject(
      outputs: #""out/**", "link""#,
      run: """
        rm -rf out; mkdir -p out/empty; chmod 1700 out/empty
        printf x >"out/$(printf 'a\\377\\n ')"; echo sh >out/tool; chmod 6755 out/tool
        ln -s ../src out/source; ln -sfn nowhere link
        [ "$(cat src)" = first ] || echo more >out/more
        """)
    let list = #"find out link -printf '%p %y %m %l\n' | LC_ALL=C sort"#
    _ = await project.run("build")
    let made = await shell("cd one; \(list)", in: project.folder).output
    project.folder.write("second", to: "two/src")
    _ = await project.run("build", in: "two")
    #expect(project.content("two/out/more") == "more\n")
    project.folder.write("first", to: "two/src")
    #expect(await project.run("build", in: "two") == ("", restored, 0))
    #expect(await shell("cd two; \(list)", in: project.folder).output == made)
    #expect(
      made.contains("out/empty d 1700") && made.contains("out/tool f 6755")
        && made.contains("link l 777 nowhere"), "\(made)")
  }

  @Test("outputs with brackets in their names come back, and empty folders of such a name")
  func brackets() async {
    let project = CachedProject(
      outputs: #""[id].html", "[dir]""#, run: "cat src >'[id].html'; mkdir -p '[dir]/empty'")
    #expect(await project.run("build") == ("", "", 0))
    #expect(await project.run("build", in: "two") == ("", restored, 0))
    #expect(project.content("two/[id].html") == "first")
    #expect(access(project.folder["two/[dir]/empty"], F_OK) == 0)
  }

  @Test("make finds what was restored to be current")
  func times() async {
    let project = CachedProject(outputs: #""a.o", "app""#, run: "cat src >a.o; cat a.o >app")
    _ = await project.run("build")
    project.folder.write("second", to: "one/src")
    _ = await project.run("build")
    project.folder.write("first", to: "one/src")
    #expect(await project.run("build") == ("", restored, 0))
    project.folder.write("app: a.o; false\na.o: src; false\n", to: "one/makefile")
    #expect(await shell("cd one; make -q app", in: project.folder).status == 0)
  }

  @Test("what is there already keeps its times, unless a source is younger")
  func present() async {
    let project = CachedProject()
    _ = await project.run("build")
    func times() async -> String {
      await shell("stat -c '%i %y' one/out", in: project.folder).output
    }
    let made = await times()
    _ = await shell("rm -r one/.raclette", in: project.folder)
    #expect(await project.run("build") == ("made\n", "\(restored)warned\n", 0))
    #expect(await times() == made)
    #expect(
      await project.run("build") == ("made\n", "raclette: build is up to date\n", 0))
    _ = await shell("rm -r one/.raclette", in: project.folder)
    project.folder.write("first", to: "one/src")
    #expect(await project.run("build") == ("made\n", "\(restored)warned\n", 0))
    let restoredTimes = await times()
    #expect(restoredTimes != made)
    #expect(restoredTimes.prefix { $0 != " " } == made.prefix { $0 != " " })
  }

  @Test("an output that changed after it was restored is found, however soon")
  func soon() async {
    let project = CachedProject()
    _ = await project.run("build")
    _ = await project.run("build", in: "two")
    project.folder.write("fuest", to: "two/out")
    #expect(await project.run("build", in: "two") == ("made\n", "\(restored)warned\n", 0))
    #expect(project.content("two/out") == "first")
  }

  @Test(
    "a runner that is killed while it restores leaves nothing in the folders, and the next cleans up"
  )
  func killed() async {
    let project = CachedProject(outputs: #""out/**""#, run: "mkdir -p out; cat src >out/a")
    _ = await project.run("build")
    project.folder.write(
      """
      #include <signal.h>
      int renameat(int from, const char *old, int to, const char *new) { return raise(SIGKILL); }
      """, to: "kill.c")
    #expect(
      await shell("cc -shared -fPIC -o kill.so kill.c", in: project.folder).status == 0)
    let killed = await project.run(
      "build", in: "two", with: ["LD_PRELOAD": project.folder["kill.so"]])
    #expect(killed.status != 0)
    let place = project.folder["two/.raclette/restoring"]
    #expect(names(inFolder: project.folder["two/out"]) == [])
    #expect(names(inFolder: place)?.count == 1)
    #expect(await project.run("build", in: "two") == ("", restored, 0))
    #expect(project.content("two/out/a") == "first")
    #expect(names(inFolder: place) == [])
  }

  @Test("nothing is written through a symbolic link, and then the command is executed")
  func links() async {
    let project = CachedProject(outputs: #""out/a""#, run: "mkdir -p out; cat src >out/a")
    _ = await project.run("build")
    project.folder.makeFolder("elsewhere")
    symlink("../elsewhere", project.folder["two/out"])
    #expect(
      await project.run("build", in: "two") == (
        "",
        """
        warning: the cached result of 'build' cannot be restored, and the command is executed: its output 'out/a' is behind the symbolic link 'out', which the cache does not follow
        warning: the result of 'build' is not cached: its output 'out/a' is behind the symbolic link 'out', which the cache does not follow

        """, 0
      ))
    #expect(project.content("elsewhere/a") == "first")
  }

  @Test("what a function shows and nothing takes comes back in its place")
  func shown() async {
    let project = CachedProject(
      more: """
        rac.command{name = "shown", cache = true, outputs = "out", run = function(_, emit)
          emit{first = 1}
          rac.sh("echo printed; echo warned >&2; echo x >out"):wait()
          emit("last")
        end}
        """)
    let first = await project.run("shown")
    let second = await project.run("shown", in: "two")
    #expect(first.status == 0 && first.errors == "warned\n")
    #expect(second.output == first.output)
    #expect(
      second.errors == "raclette: shown is restored from the cache in place of TIME\nwarned\n")
  }

  @Test("events say what was saved")
  func events() async {
    let project = CachedProject()
    _ = await project.run("build")
    let events = await project.run("--json", "build", in: "two").output
    #expect(
      events.split(separator: "\n").count {
        $0.contains(#""type":"up_to_date","command":"build""#) && $0.contains(#""saved":"#)
      } == 1, "\(events)")
    #expect(await project.run("-q", "build", in: "two") == ("made\n", "", 0))
  }

  @Test("what a depfile names counts")
  func depfile() async {
    let project = CachedProject(
      fields: #"depfile = "out.d","#,
      run: #"cat src header >out; echo "out: src header" >out.d"#)
    for name in ["one", "two"] { project.folder.write("h1", to: "\(name)/header") }
    _ = await project.run("build")
    #expect(await project.run("build", in: "two") == ("", restored, 0))
    #expect(project.content("two/out.d") == "out: src header\n")
    project.folder.write("h2", to: "two/header")
    #expect(await project.run("build", in: "two") == ("", "", 0))
    #expect(project.content("two/out") == "firsth2")
    project.folder.write("h1", to: "two/header")
    #expect(await project.run("build", in: "two") == ("", restored, 0))
    #expect(project.content("two/out") == "firsth1")
  }
}
