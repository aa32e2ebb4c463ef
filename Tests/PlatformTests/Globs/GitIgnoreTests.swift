import Platform
import Testing

@Suite struct GitIgnoreTests {
  private func repository(_ files: [String: String]) -> Tree {
    let tree = Tree([".git/"])
    for (name, text) in files { tree.make(name, text) }
    return tree
  }

  @Test(
    "rules mean what they mean to git",
    arguments: [
      ("*.o", "a.o", true), ("*.o", "x/y/a.o", true), ("*.o", "a.c", false),
      ("build", "build/x/y", true),
      ("build", "x/build", true), ("/build", "x/build", false), ("/build", "build", true),
      ("a/b", "a/b/c", true), ("a/b", "x/a/b", false), ("**/a/b", "x/a/b", true),
      ("a/**/b", "a/b", true), ("a/**/b", "a/x/y/b", true), ("a/**", "a", false),
      ("a/**", "a/x", true),
      ("folder/", "folder", false), ("folder/", "folder/x", true), ("# a", "# a", false),
      ("\\#a", "#a", true), ("\\!a", "!a", true), ("a ", "a", true), ("a\\ ", "a ", true),
      ("*", ".env", true), ("*.log\n!keep.log", "keep.log", false),
      ("*.log\n!keep.log", "a.log", true),
      ("!keep.log\n*.log", "keep.log", true), ("out/\n!out/keep", "out/keep", true),
      ("out/*\n!out/keep", "out/keep", false), ("a\r\nb", "a", true), ("[ab].c", "b.c", true),
      ("\u{FEFF}build/", "build/x", true), ("[[:alpha:]]uild/", "build/x", true),
      ("[![:space:]]", "a", true), ("[!b-a]", "a", true), (#"foo\/bar"#, "foo/bar", true),
      ("[^/]", "a", true), ("./build", "build", false), ("foo//", "foo/x", false),
      ("//a", "a", false), ("foo/.", "foo", false), ("?", "é", false), ("??", "é", true),
      ("{a,b}", "a", false), ("", "a", false), ("x", ".git/config", true),
    ])
  func rules(_ text: String, _ path: String, _ expected: Bool) {
    let tree = repository([".gitignore": text])
    let ignore = GitIgnore(tree.path)
    #expect(ignore.ignores(path, isFolder: false) == expected)
  }

  @Test("deeper files decide, up to the top of the repository") func nested() {
    let tree = repository([
      ".gitignore": "*.log\n/only-top\nsub/deep/*.tmp", "sub/.gitignore": "!keep.log\n/own",
      ".git/info/exclude": "private",
    ])
    let top = GitIgnore(tree.path)
    let sub = GitIgnore(tree.path + "/sub")
    #expect(!top.ignores("sub/keep.log", isFolder: false))
    #expect(top.ignores("keep.log", isFolder: false))
    #expect(top.ignores("sub/own", isFolder: false))
    #expect(!top.ignores("own", isFolder: false))
    #expect(top.ignores("sub/private", isFolder: true))
    #expect(!sub.ignores("keep.log", isFolder: false))
    #expect(sub.ignores("x.log", isFolder: false))
    #expect(sub.ignores("own", isFolder: false))
    #expect(sub.ignores("deep/x.tmp", isFolder: false))
    #expect(!sub.ignores("only-top", isFolder: false))
    #expect(!sub.ignores("../x.log", isFolder: false))
  }

  @Test("a changed file counts after it was forgotten") func forgotten() {
    let tree = repository([".gitignore": "a"])
    let ignore = GitIgnore(tree.path)
    #expect(ignore.ignores("a", isFolder: false))
    tree.make(".gitignore", "b")
    ignore.forget()
    #expect(!ignore.ignores("a", isFolder: false))
    #expect(ignore.ignores("b", isFolder: false))
  }
}
