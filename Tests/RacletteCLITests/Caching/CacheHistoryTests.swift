import Platform
import Testing

/// Random histories of two checkouts that share a store, with the real program, which is killed at random
/// steps of storing and restoring.
@Suite("cached commands: random histories", .timeLimit(.minutes(60)))
struct CacheHistoryTests {
  private static let histories = getenv("RACLETTE_LONG") == nil ? 4 : 1_000

  @Test("an execution that succeeds leaves what its source makes, whatever was before")
  func histories() async {
    let shim = Folder()
    #expect(await shim.compileKilling())
    for number in 0..<Self.histories { await history(number, shim["kill.so"]) }
  }

  private func history(_ number: Int, _ shim: String) async {
    var random = Dice(state: UInt64(number) &* 0x9E37_79B9_7F4A_7C15 | 1)
    let project = CachedProject(
      outputs: #""out/**""#,
      run: """
        rm -rf out; mkdir -p out/d; cat src >out/a; ln -s a out/link
        case $(cat src) in (*1) cp src out/d/b;; (*2) rmdir out/d; echo no folder >out/d;; esac
        """)
    for step in 0..<10 {
      let checkout = random.roll(2) == 0 ? "one" : "two"
      switch random.roll(10) {
      case 0...2: project.folder.write("state \(random.roll(3))", to: "\(checkout)/src")
      case 3: project.folder.remove("\(checkout)/out")
      case 4: project.folder.write("edited", to: "\(checkout)/out/a")
      case 5:
        let stored = project.stored("cas") + project.stored("ac")
        guard !stored.isEmpty else { break }
        let path = stored[random.roll(stored.count)]
        chmod(path, 0o600)
        truncate(path, off_t(random.roll(3)))
      case 6:
        _ = await project.run(
          "build", in: checkout,
          with: ["LD_PRELOAD": shim, "KILL_AT": "\(random.roll(12) + 1)"])
      default: await build(project, checkout, "history \(number), step \(step)")
      }
    }
    for checkout in ["one", "two"] { await build(project, checkout, "history \(number), the end") }
  }

  private func build(_ project: CachedProject, _ checkout: String, _ place: Comment) async {
    let run = await project.run("-q", "build", in: checkout)
    #expect(run.status == 0, "\(place): \(run)")
    let source = project.content("\(checkout)/src") ?? ""
    #expect(project.content("\(checkout)/out/a") == source, place)
    #expect(linkTarget(of: project.folder["\(checkout)/out/link"]) == "a", place)
    switch source {
    case "state 1": #expect(project.content("\(checkout)/out/d/b") == source, place)
    case "state 2": #expect(project.content("\(checkout)/out/d") == "no folder\n", place)
    // What a killed program has left in it is nobody's.
    default: #expect(names(inFolder: project.folder["\(checkout)/out/d"]) != nil, place)
    }
  }
}

/// Numbers that depend on their seed alone.
private struct Dice {
  var state: UInt64

  mutating func roll(_ sides: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(sides))
  }
}
