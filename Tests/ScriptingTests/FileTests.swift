import Platform
import Testing

@testable import Scripting

@Suite("Files", .timeLimit(.minutes(5))) struct FileTests {
  /// Runs a script with `D` as the path of a new folder.
  private func lines(_ code: String) throws -> [String] {
    var template = Array("/tmp/raclette-files-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer { _ = system("rm -rf \(folder)") }
    return try Script.lines("local D = '\(folder)'\n" + code).map {
      $0.replacing(folder, with: "D")
    }
  }

  @Test func watchTellsWhatHappensAlsoInNewFolders() throws {
    let lines = try lines(
      """
      local seen = rac.watch(D, {debounce = 0.1}):map(function(c) return c.kind .. " " .. c.path end)
      local function run(command, count)
        local got = seen:take(count):collect():replay()
        rac.sh(command):wait()
        local list = got:first()
        table.sort(list)
        print(table.concat(list, ", "))
      end
      run("echo 1 > " .. D .. "/a", 1)
      run("echo 22 > " .. D .. "/a", 1)
      run("mkdir -p " .. D .. "/sub/deep && echo 1 > " .. D .. "/sub/deep/b", 3)
      run("echo 22 > " .. D .. "/sub/deep/b", 1)
      run("rm -r " .. D .. "/sub", 3)
      run("rm " .. D .. "/a", 1)
      """)
    #expect(
      lines == [
        "created D/a", "changed D/a", "created D/sub, created D/sub/deep, created D/sub/deep/b",
        "changed D/sub/deep/b", "removed D/sub, removed D/sub/deep, removed D/sub/deep/b",
        "removed D/a",
      ])
  }

  @Test func aFileIsWatchedByItsNameWhetherItExistsOrNot() throws {
    let lines = try lines(
      """
      local got = rac.watch({D .. "/x"}, {debounce = 0.1}):take(2)
        :map(function(c) return c.kind .. " " .. c.path end):replay()
      rac.sh("echo 1 > " .. D .. "/other; echo 1 > " .. D .. "/x"):wait()
      got:first()
      rac.sh("rm " .. D .. "/x"):wait()
      print(table.concat(got:to_table(), ", "))
      """)
    #expect(lines == ["created D/x, removed D/x"])
  }

  @Test func aFolderThatGoesAwayIsFollowedWhenItComesBack() throws {
    let lines = try lines(
      """
      rac.sh("mkdir -p " .. D .. "/a/src; echo 1 > " .. D .. "/a/src/x"):wait()
      local seen = rac.subject()
      local following = rac.watch(D .. "/a/src", {debounce = 0.1}):subscribe(function(c)
        seen:send_next(c.kind .. " " .. c.path)
      end)
      local function run(command, change)
        local got = seen:filter(function(c) return c == change:gsub("D", D) end):take(1):replay()
        rac.sh(command):wait()
        print(got:first())
      end
      run("rm -r " .. D .. "/a", "removed D/a/src/x")
      run("mkdir -p " .. D .. "/a/src && echo 1 > " .. D .. "/a/src/y", "created D/a/src/y")
      run("echo 22 > " .. D .. "/a/src/y", "changed D/a/src/y")
      run("rm -r " .. D .. "/a/src && mkdir " .. D .. "/a/src && echo 1 > " .. D .. "/a/src/z",
        "created D/a/src/z")
      run("echo 333 > " .. D .. "/a/src/z", "changed D/a/src/z")
      following:dispose()
      """)
    #expect(
      lines == [
        "removed D/a/src/x", "created D/a/src/y", "changed D/a/src/y", "created D/a/src/z",
        "changed D/a/src/z",
      ])
  }

  @Test func recursionCanBeTurnedOff() throws {
    let lines = try lines(
      """
      rac.sh("mkdir " .. D .. "/sub"):wait()
      local got = rac.watch(D, {recursive = false, debounce = 0.1}):take(1):replay()
      rac.sh("echo 1 > " .. D .. "/sub/a; echo 1 > " .. D .. "/b"):wait()
      print(got:first().path)
      """)
    #expect(lines == ["D/b"])
  }

  @Test func fileExistsIsLive() throws {
    let lines = try lines(
      """
      local live = rac.file_exists(D .. "/sub/flag")
      local all = live:take(3):replay()
      print(all:first())
      rac.sh("mkdir " .. D .. "/sub"):wait()
      rac.sh("touch " .. D .. "/sub/flag"):wait()
      live:filter(function(v) return v end):first()
      all:take(2):last()
      rac.sh("rm " .. D .. "/sub/flag"):wait()
      for _, v in ipairs(all:to_table()) do print(v) end
      """)
    #expect(lines == ["false", "false", "true", "false"])
  }

  @Test func fileExistsFollowsThePathAndNotAFolderThatIsRenamed() throws {
    let lines = try lines(
      """
      local function sh(line) rac.sh("cd " .. D .. " && " .. line):wait() end
      sh("mkdir -p a/b/c && touch a/b/c/flag")
      local live = rac.file_exists(D .. "/a/b/c/flag")
      local all = live:take(6):replay()
      local function await(n, wanted)
        print(n, all:take(n):last() == wanted)
      end
      await(1, true)
      sh("mv a aa")
      await(2, false)
      sh("mkdir -p a/b/c && touch a/b/c/flag")
      await(3, true)
      sh("mv a/b a/x && touch aa/b/c/other")
      await(4, false)
      sh("mv aa/b a/b")
      await(5, true)
      sh("rm a/b/c/flag")
      await(6, false)
      """)
    #expect(lines == (1...6).map { "\($0)\ttrue" })
  }

  @Test(arguments: [
    ("rac.watch()", "string or table expected, got no value"),
    ("rac.watch{}", "a list of paths expected"), ("rac.watch{1}", "a list of paths expected"),
    ("rac.watch('x', {foo = 1})", "unknown key 'foo'; the keys are debounce, recursive"),
    ("rac.watch('x', {recursiv = true})", "unknown key 'recursiv'; did you mean 'recursive'?"),
    ("rac.watch('x', {debounce = -1})", "option 'debounce' must be"),
    ("rac.file_exists('')", "a path expected"), ("rac.file_exists('a\\0')", "a path expected"),
    ("rac.watch('/does/not/exist'):wait()", "'/does/not' cannot be watched"),
  ])
  func wrongArgumentsAreRejected(_ code: String, _ problem: String) throws {
    let message = try Script.run(code).failure?.message
    #expect(message?.contains(problem) == true, "\(message ?? "none")")
  }
}
