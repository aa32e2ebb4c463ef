import Platform
import Testing

@Suite struct GlobWalkTests {
  private func paths(_ patterns: [String], _ tree: Tree) throws -> [String] {
    try Glob(patterns).paths(in: tree.path)
  }

  @Test("lists files in the order of their bytes, each once")
  func list() throws {
    let tree = Tree([
      "b.c", "a-b.c", "a/b.c", "a/x/y.c", "a/x/y.h", "a/.z/h.c", ".hid.c", "B.c", "empty/",
      "gen/a.c",
    ])
    #expect(try paths(["**/*.c"], tree) == ["B.c", "a-b.c", "a/b.c", "a/x/y.c", "b.c", "gen/a.c"])
    #expect(
      try paths(["*.c", "**/*.c", "!gen", "b.c"], tree) == [
        "B.c", "a-b.c", "a/b.c", "a/x/y.c", "b.c",
      ])
    #expect(try paths(["*"], tree) == ["B.c", "a-b.c", "b.c"])
    #expect(try paths(["a"], tree) == ["a/b.c", "a/x/y.c", "a/x/y.h"])
    #expect(try paths(["a/.z/*", ".*.c"], tree) == [".hid.c", "a/.z/h.c"])
    #expect(try paths(["*/."], tree) == paths(["*/"], tree))
    #expect(try paths(["none/**", "missing.c"], tree) == [])
    #expect(try paths(["a/../b.c", "a/x/../../B*"], tree) == ["a/../b.c", "a/x/../../B.c"])
    #expect(try paths(["\(tree.path)/*.c"], tree).first == "\(tree.path)/B.c")
    #expect(try Glob(["*"]).paths(in: tree.path + "/none") == [])
  }

  @Test("a pattern with brackets finds the file of its own name, and the files in such a folder")
  func literal() throws {
    let tree = Tree(["p/[id].x", "p/i.x", "p/[a-b]/y", "p/a/y", "{q}/z"])
    #expect(try paths(["p/[id].x"], tree) == ["p/[id].x", "p/i.x"])
    #expect(try paths(["p/[a-b]"], tree) == ["p/[a-b]/y"])
    #expect(try paths(["p/*", "!p/[id].x"], tree) == [])
    #expect(try paths(["{q}/z"], tree) == ["{q}/z"])
  }

  @Test("links: files as files, folders as themselves, loops safely")
  func links() throws {
    let tree = Tree(["real/a.c", "real/sub/b.c"])
    tree.link("real/loop", to: "..")
    tree.link("link", to: "real")
    tree.link("real/c.c", to: "a.c")
    tree.link("real/broken.c", to: "nowhere")
    #expect(
      try paths(["**"], tree)
        == ["link", "real/a.c", "real/broken.c", "real/c.c", "real/loop", "real/sub/b.c"])
    #expect(try paths(["link/*.c"], tree) == ["link/a.c", "link/broken.c", "link/c.c"])
    #expect(try paths(["link/"], tree).contains("link/sub/b.c"))
    #expect(try paths(["li*/sub/*.c"], tree) == ["link/sub/b.c"])
    #expect(try paths(["link"], tree).contains("link/a.c"))
    #expect(try !paths(["link"], tree).contains("link"))
  }

  @Test("names that are not UTF-8 are listed as they are")
  func bytes() throws {
    let odd = String(exactly: [0xFF, 0x2E, 0x63] as [UInt8])
    let folder = String(exactly: [0x66, 0xC3] as [UInt8])
    let tree = Tree([odd, "\(folder)/\(odd)", "e\u{301}.c", "é.c"])
    #expect(try paths(["*.c"], tree).map(\.exactBytes).contains([0xFF, 0x2E, 0x63]))
    #expect(try paths(["**/*.c"], tree).count == 4)
    #expect(try paths(["\(folder)/?.c"], tree) == ["\(folder)/\(odd)"])
  }

  @Test("an excluded folder is not read") func excluded() throws {
    let tree = Tree(["a.c", "secret/b.c"])
    let folder = "\(tree.path)/secret"
    folder.withCBytes { _ = chmod($0, 0) }
    defer { folder.withCBytes { _ = chmod($0, 0o755) } }
    #expect(try paths(["**/*.c", "!secret"], tree) == ["a.c"])
    // Root reads everything.
    guard getuid() != 0 else { return }
    #expect(throws: GlobError.unreadable(folder: folder, code: EACCES)) {
      try paths(["**/*.c"], tree)
    }
  }

  @Test("the listing agrees with the test of single paths", arguments: 0..<40)
  func agreement(seed: Int) throws {
    var random = SystemRandomNumberGenerator()
    let names = ["a", "b", "ab", ".c", "b.c", "ä"]
    var files: Set<String> = []
    for _ in 0..<30 {
      let depth = Int.random(in: 1...4, using: &random)
      files.insert(
        (0..<depth).map { _ in names.randomElement(using: &random)! }.joined(separator: "/"))
    }
    let folders = files.flatMap { path in
      path.indices.filter { path[$0] == "/" }.map { String(path[..<$0]) }
    }
    files.subtract(folders)
    let tree = Tree(Array(files))
    let parts = ["**", "*", "a", "a*", "?", "[ab]*", "{a,b}", ".c", "ä", "*.c"]
    for _ in 0..<30 {
      let patterns = (0..<Int.random(in: 1...3, using: &random)).map { index in
        (index > 0 && Bool.random(using: &random) ? "!" : "")
          + (0..<Int.random(in: 1...4, using: &random)).map { _ in
            parts.randomElement(using: &random)!
          }.joined(separator: "/") + (Int.random(in: 0..<5, using: &random) == 0 ? "/" : "")
      }
      let glob = try Glob(patterns)
      let listed = try glob.paths(in: tree.path)
      let tested = files.filter(glob.matches).sorted {
        $0.exactBytes.lexicographicallyPrecedes($1.exactBytes)
      }
      #expect(listed == tested, "\(patterns)")
    }
  }
}
