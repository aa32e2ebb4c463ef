import Platform
import Testing

@Suite("the examples of projects that are built", .timeLimit(.minutes(5)))
struct ProjectExampleTests {
  private func copy(_ name: String) async -> Folder {
    let folder = Folder()
    _ = await shell(
      "cp -R '\(Program.package)/examples/\(name)/.' .; rm -rf .raclette build dist", in: folder)
    return folder
  }

  @Test("C: from a clean folder, twice, touched, changed, and after kill -9")
  func inC() async {
    let folder = await copy("c")
    func app() async -> [String] {
      let run = await shell("raclette run -q app && build/app", in: folder)
      #expect(run.status == 0, "\(run)")
      return run.lines
    }
    let compiled = ["compiled src/main.c", "compiled src/text/join.c"]
    #expect(await app() == compiled + ["linked build/app", "hello, world"])
    #expect(await app() == ["linked build/app", "hello, world"])
    _ = await shell("touch src/*.c src/text/*", in: folder)
    #expect(await app() == ["linked build/app", "hello, world"])
    _ = await shell("sed -i 's/\", \"/\"; \"/' src/text/join.h", in: folder)
    #expect(await app() == compiled + ["linked build/app", "hello; world"])
    _ = await shell("sed -i 's/hello/good day/' src/main.c", in: folder)
    #expect(await app() == [compiled[0], "linked build/app", "good day; world"])
    // A compiler that never ends, killed with the runner while it has written half of its output.
    folder.write(
      "#!/bin/sh\n[ \"$1\" = --version ] && exec /usr/bin/cc --version\necho half >build/src_main.o\necho begun\nexec sleep 1000\n",
      to: "slow/cc")
    _ = await shell("chmod +x slow/cc && sed -i 's/good day/good night/' src/main.c", in: folder)
    await killed("compile src/main.c", in: folder) { $0.waitForOutput("begun") }
    #expect(await app() == [compiled[0], "linked build/app", "good night; world"])
    #expect(await app() == ["linked build/app", "good night; world"])
    #expect(await shell("raclette status app", in: folder).status == 0)
  }

  /// Runs a command with the programs of the folder `slow`, and kills the runner after a wait.
  private func killed(
    _ words: String, in folder: Folder, after wait: @escaping @Sendable (Running) -> Void
  ) async {
    let program = Launch(
      program: "/bin/bash",
      arguments: ["-c", "PATH=$PWD/slow:$PATH exec '\(Program.path)' run \(words)"],
      folder: folder.path)
    await onThread {
      let running = Running(program)
      wait(running)
      kill(running.pid, SIGKILL)
      _ = running.finish()
    }
  }

  @Test("Python: from a clean folder, twice, touched, changed, and after kill -9")
  func inPython() async {
    let folder = await copy("python")
    func archive() async -> (left: Int, lines: [String]) {
      let run = await shell("raclette run archive && python3 dist/greeting.pyz", in: folder)
      #expect(run.status == 0, "\(run)")
      let several = run.errors.firstMatch(of: /(\d+) are up to date/).flatMap { Int($0.1) }
      let single = run.errorLines.count { $0.hasSuffix(" is up to date") }
      return ((several ?? 0) + single, run.lines)
    }
    let made = ["Ran 1 test", "made dist/greeting.pyz", "hello, world"]
    #expect(await archive() == (0, made))
    #expect(await archive() == (2, made))
    _ = await shell("touch greeting/*.py tests/*.py", in: folder)
    #expect(await archive() == (2, made))
    _ = await shell("echo '# more' >>tests/test_words.py", in: folder)
    #expect(await archive() == (1, made))
    folder.write(
      "#!/bin/sh\n[ \"$1\" = --version ] && exec /usr/bin/env -u X /usr/bin/python3 --version\necho half >dist/greeting.pyz\necho begun >&2\nexec sleep 1000\n",
      to: "slow/python3")
    _ = await shell("chmod +x slow/python3; sed -i 's/world/all/' greeting/main.py", in: folder)
    await killed("--no-deps archive", in: folder) { $0.waitForErrors("begun") }
    #expect(await archive() == (0, ["Ran 1 test", "made dist/greeting.pyz", "hello, all"]))
  }
}
