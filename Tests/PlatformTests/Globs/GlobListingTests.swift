import Platform
import Testing

@Suite("lists of files that can tell if they would differ now") struct GlobListingTests {
  private let tree = Tree(["a.c", "sub/b.c", "sub/b.h", "out/"])

  private func listing(_ patterns: String...) throws -> GlobListing {
    try GlobListing(patterns, in: tree.path)
  }

  @Test("have the files that the patterns find")
  func paths() throws {
    #expect(try listing("**/*.c", "!out").result == .success(["a.c", "sub/b.c"]))
    #expect(throws: GlobError.onlyExcludes) { _ = try listing("!out") }
  }

  @Test("differ until they are refreshed, as often as they are asked")
  func added() throws {
    var listing = try listing("**/*.c")
    var answers = [listing.hasChanged()]
    tree.make("new/c.c")
    answers += [listing.hasChanged(), listing.hasChanged()]
    #expect(answers == [false, true, true])
    #expect(listing.result == .success(["a.c", "sub/b.c"]))
    listing.refresh()
    #expect(listing.result == .success(["a.c", "new/c.c", "sub/b.c"]))
    let isOther = listing.hasChanged()
    #expect(!isOther)
  }

  @Test("differ no more once all is as before")
  func removed() throws {
    var listing = try listing("*.c")
    #expect(unlink("\(tree.path)/a.c") == 0)
    var answers = [listing.hasChanged()]
    tree.make("a.c")
    answers.append(listing.hasChanged())
    #expect(answers == [true, false])
  }

  @Test("do not differ for what the files hold, nor for other files")
  func same() throws {
    var listing = try listing("**/*.c", "!out")
    tree.make("a.c", "int a;")
    tree.make("sub/c.h")
    tree.make("out/d.c")
    let isOther = listing.hasChanged()
    #expect(!isOther)
  }

  @Test("differ for files in folders that were missing, or that a link leads to now")
  func missing() throws {
    var deep = try listing("gen/src/*.c")
    var linked = try listing("link/*.c")
    tree.make("gen/src/e.c")
    tree.link("link", to: "sub")
    let answers = [deep.hasChanged(), linked.hasChanged()]
    #expect(answers == [true, true])
  }

  @Test("differ once a search fails no longer, or fails")
  func failure() throws {
    let folder = "\(tree.path)/loop"
    tree.link("loop", to: "loop")
    var listing = try GlobListing(["*.c"], in: folder)
    #expect(listing.result == .failure(.unreadable(folder: folder + "/", code: ELOOP)))
    var answers = [listing.hasChanged()]
    unlink(folder)
    tree.make("loop/d.c")
    answers += [listing.hasChanged(), listing.hasChanged()]
    #expect(answers == [false, true, true])
    listing.refresh()
    #expect(listing.result == .success(["d.c"]))
    Tree.remove(folder)
    tree.link("loop", to: "loop")
    let isOther = listing.hasChanged()
    #expect(isOther)
  }
}
