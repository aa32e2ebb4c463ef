import Platform
import Testing

@Suite("cached commands: the store", .timeLimit(.minutes(5)))
struct CacheStoreTests {
  @Test("a damaged entry is dropped, and the command is executed")
  func damaged() async {
    let project = CachedProject(outputs: #""out", "more""#, run: "cat src >out; echo more >more")
    _ = await project.run("build")
    let path = project.stored("cas").first { fileContent($0) == Array("more\n".utf8) } ?? ""
    project.folder.write("evil\n", to: String(path.dropFirst(project.folder.path.count + 1)))
    #expect(
      await project.run("build", in: "two") == (
        "",
        "warning: the cached result of 'build' is dropped, and the command is executed: the entry is corrupted\n",
        0
      ))
    #expect(project.content("two/more") == "more\n")
    project.folder.remove("two/more")
    #expect(await project.run("build", in: "two") == ("", restored, 0))
    unlink(project.stored("cas").first { fileContent($0) == Array("more\n".utf8) } ?? "")
    project.folder.remove("two/more")
    #expect(
      await project.run("build", in: "two") == (
        "",
        "warning: the cached result of 'build' is dropped, and the command is executed: a part of the entry is gone\n",
        0
      ))
  }

  @Test("a runner that is killed at any step of storing leaves a whole result, or none")
  func killed() async {
    let project = CachedProject(outputs: #""out", "more""#, run: "cat src >out; echo more >more")
    #expect(await project.folder.compileKilling())
    let shim = ["LD_PRELOAD": project.folder["kill.so"]]
    var kills = 0
    while kills < 100 {
      project.folder.write("state \(kills)", to: "one/src")
      project.folder.write("state \(kills)", to: "two/src")
      let killed = await project.run(
        "build", with: shim.merging(["KILL_AT": "\(kills + 1)"]) { $1 })
      // Whatever it has left, another checkout gets the right outputs.
      #expect(await project.run("-q", "build", in: "two") == ("", "", 0))
      #expect(project.content("two/out") == "state \(kills)")
      if killed.status == 0 { break }
      kills += 1
    }
    // What is new of a state: an output, what counted, the entry, and the key of the latest, which are
    // renamed; and what is written of them.
    #expect(kills >= 6 && kills < 100, "\(kills)")
    _ = await project.run("prune", "--cache", "--older-than", "1d")
    #expect(names(inFolder: project.folder["cache/raclette/results/tmp"]) == [])
  }

  @Test("an entry that a power failure has emptied is not there, and one whose bytes it has taken")
  func powerFailure() async {
    let project = CachedProject(outputs: #""out", "more""#, run: "cat src >out; echo more >more")
    for (kind, warning) in [
      ("ac", ""),
      (
        "cas",
        "warning: the cached result of 'build' is dropped, and the command is executed: the entry is corrupted\n"
      ),
    ] {
      _ = await project.run("build", "--force")
      for path in project.stored(kind) {
        chmod(path, 0o600)
        truncate(path, 0)
      }
      project.folder.remove("two/out")
      #expect(await project.run("build", in: "two") == ("", warning, 0))
      #expect(project.content("two/out") == "first")
    }
    project.folder.remove("one/out")
    #expect(await project.run("build") == ("", restored, 0))
  }

  @Test("a store that cannot be used costs its results, and says so")
  func unusable() async {
    let project = CachedProject(run: "cat src >out")
    project.folder.write("no folder", to: "cache/raclette/results")
    let folder = project.folder["cache/raclette/results"]
    #expect(
      await project.run("build") == (
        "",
        "warning: the result of 'build' is not cached: cannot use '\(folder)': not a directory\n", 0
      ))
    #expect(project.content("one/out") == "first")
    #expect(
      await project.run("prune", "--cache") == (
        "", "raclette: error: cannot use '\(folder)': not a directory\n", 1
      ))
  }

  @Test("doctor tells of damage and leftovers, which prune removes")
  func doctor() async {
    let project = CachedProject(run: "cat src >out")
    let folder = project.folder["cache/raclette/results"]
    func told() async -> String {
      let lines = await project.run("doctor", "--json").output.split(separator: "{")
      return lines.first { $0.contains(#""name":"results""#) }.map(String.init) ?? ""
    }
    #expect(await told().contains(#""state":"ok","text":"none yet in \#(folder)""#))
    _ = await project.run("build")
    #expect(await told().contains(#""state":"ok","text":"1 result, "#))
    project.folder.write("half", to: "cache/raclette/results/tmp/1-a/1")
    let entry = project.stored("ac").first ?? ""
    chmod(entry, 0o600)
    truncate(entry, 9)
    let damaged = await told()
    #expect(damaged.contains(#""state":"warning","text":"0 results, "#), "\(damaged)")
    #expect(
      damaged.contains("with 1 damaged entries and leftovers of 1 killed"),
      "\(damaged)")
    _ = await project.run("prune", "--cache", "--older-than", "90d")
    #expect(await told().contains(#""state":"ok","text":"0 results, 0B of at most 10G"#))
  }

  @Test("a full disk costs the entry, and nothing else", .enabled(if: Disk.isAllowed))
  func fullDisk() async {
    let project = CachedProject(run: "head -c 3000000 /dev/urandom >out")
    project.folder.makeFolder("cache")
    Disk.memory(1).mount(on: project.folder["cache"])
    let folder = project.folder["cache/raclette/results"]
    #expect(
      await project.run("build") == (
        "",
        "warning: the result of 'build' is not cached: cannot use '\(folder)': no space left on device\n",
        0
      ))
    #expect(project.stored("ac") == [])
    #expect(names(inFolder: "\(folder)/tmp") == [])
    #expect(await project.run("build") == ("", "raclette: build is up to date\n", 0))
    Disk.memory(1).unmount(from: project.folder["cache"])
  }

  @Test("the store keeps to its bound, and what was used last")
  func bound() async {
    let project = CachedProject(run: "cat src >out; head -c 300000 /dev/urandom >>out")
    let bound = ["RACLETTE_CACHE_SIZE": "800K"]
    for state in ["first", "second"] {
      project.folder.write(state, to: "one/src")
      _ = await project.run("build", with: bound)
    }
    // Then the second is the one that was used longest ago.
    #expect(await project.run("build", in: "two", with: bound) == ("", restored, 0))
    project.folder.write("third", to: "one/src")
    _ = await project.run("build", with: bound)
    #expect(project.stored("ac").count == 2)
    project.folder.remove("two/out")
    #expect(await project.run("build", in: "two", with: bound) == ("", restored, 0))
    project.folder.write("second", to: "two/src")
    #expect(await project.run("build", in: "two", with: bound) == ("", "", 0))
  }

  @Test("cache tells what there is, and prune removes it")
  func told() async {
    let project = CachedProject()
    let folder = project.folder["cache/raclette/results"]
    #expect(await project.run("cache") == ("\(folder)\n0 results, 0B of at most 10G\n", "", 0))
    _ = await project.run("build")
    _ = await project.run("build", in: "two")
    let told = await project.run("cache", with: ["RACLETTE_CACHE_SIZE": "2M"])
    let lines = told.output.split(separator: "\n")
    #expect(lines.count == 3, "\(told)")
    #expect(lines.first == "\(folder)")
    #expect(lines.dropFirst().first?.hasPrefix("1 result, ") == true)
    #expect(lines.dropFirst().first?.hasSuffix("B of at most 2M") == true)
    #expect(lines.last == "1 restored in place of TIME, 1 not found")
    let json = await project.run("cache", "--json").output
    for field in ["\"folder\":\"\(folder)\",\"entries\":1,", "\"hits\":1,\"misses\":1,"] {
      #expect(json.contains(field), "\(json)")
    }
    let pruned = await project.run("prune", "--cache")
    #expect(pruned.errors.hasPrefix("raclette: removed 1 result ("), "\(pruned)")
    #expect(project.stored("ac") + project.stored("cas") == [])
    #expect(
      await project.run("cache", with: ["RACLETTE_CACHE_SIZE": "0"]) == (
        "", "raclette: error: there is no cache: RACLETTE_CACHE_SIZE is 0\n", 2
      ))
    #expect(
      await project.run("build", with: ["RACLETTE_CACHE_SIZE": "much"]) == (
        "",
        "raclette: error: RACLETTE_CACHE_SIZE must be a size such as 20G, or 0 for no cache, not 'much'\n",
        2
      ))
  }

  @Test("many runners that store and restore at once leave whole results")
  func atOnce() async {
    let project = CachedProject(
      outputs: #""out/**""#,
      run: "mkdir -p out; for n in 1 2 3 4 5 6 7 8 9; do cat src >out/$n; done")
    let run = await shell(
      """
      export XDG_CACHE_HOME=$PWD/cache
      for n in 1 2 3 4 5 6 7 8; do cp -r one c$n; echo $((n % 2)) >c$n/src; done
      for round in 1 2; do
        for n in 1 2 3 4 5 6 7 8; do (cd c$n; raclette -q build; echo $?) & done; wait
        for n in 1 2 3 4 5 6 7 8; do cat c$n/out/*; rm -rf c$n/out; done
      done
      """, in: project.folder)
    #expect(run.errors == "")
    let round =
      String(repeating: "0\n", count: 8)
      + (1...8).map { String(repeating: "\($0 % 2)\n", count: 9) }.joined()
    #expect(run.output == round + round)
  }
}
