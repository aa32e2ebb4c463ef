import Platform
import Testing

@Suite struct GlobTests {
  @Test(
    "a pattern matches a path",
    arguments: [
      ("a.c", "a.c"), ("*.c", "a.c"), ("*", "a"), ("a*b*c", "axbxbc"), ("?.c", "a.c"),
      ("?.c", "ä.c"),
      ("[a-c].x", "b.x"), ("[!a-c].x", "d.x"), ("[^a-c].x", "d.x"), ("[]].x", "].x"),
      ("[a-].x", "-.x"),
      ("[ä-ü].x", "ö.x"), ("[\\]x].y", "].y"), ("src/**/*.c", "src/a.c"),
      ("src/**/*.c", "src/x/y/a.c"),
      ("**/a", "a"), ("**/a", "x/y/a"), ("src/**", "src/a"), ("src/**", "src/x/a"), ("**", "x/a"),
      ("{a,b}.c", "b.c"), ("{a,b/{c,d}}/*.x", "b/d/e.x"), ("a{,b}", "a"), ("a{,b}", "ab"),
      ("./src/./a", "src/a"), ("src//a", "./src/a"), ("/etc/*", "/etc/hosts"),
      ("../a/*.c", "../a/b.c"),
      ("\\*.c", "*.c"), ("\\!a", "!a"), ("a\\{b", "a{b"), ("src", "src/x/y.c"), ("src/", "src/x"),
      ("*/", "x/y/z"), (".github/**", ".github/w/x.yml"), ("**/.env", "x/.env"), (".*", ".env"),
      ("a**b", "axyb"), ("**/**/a", "a"), ("[{]a", "{a"),
      ("[[:alpha:]]uild", "build"), ("[![:space:]]", "a"), ("x[[:digit:]_]", "x_"), ("{a,}", "a"),
      ("p/[id].x", "p/i.x"), ("p/[id].x", "p/[id].x"), ("[[...all]].x", "[[...all]].x"),
      ("{[a],[b]}/x", "[b]/x"), ("**/[id]", "y/[id]"), ("p/[id]", "p/[id]/z"), ("\\[id]", "[id]"),
      ("{a}", "{a}"), ("{{a}}/{b,c}", "{{a}}/c"), ("{x{a,b}}", "{xb}"),
    ])
  func matches(_ pattern: String, _ path: String) throws {
    #expect(try Glob([pattern]).matches(path))
  }

  @Test(
    "a pattern does not match a path",
    arguments: [
      ("a.c", "b.c"), ("*.c", "x/a.c"), ("*.c", "a.cc"), ("?.c", ".c"), ("?", "ab"), ("[a-c]", "d"),
      ("[!a]", "a"), ("src/**", "src"), ("src/**/*.c", "src/a.h"), ("src/", "src"), ("*/", "x"),
      ("*", ".env"), ("**", ".git/x"), ("**", "x/.y"), ("?env", ".env"), ("[.]env", ".env"),
      ("src/*", "src/x/y"), ("/etc/*", "etc/hosts"), ("etc/*", "/etc/hosts"), ("a**b", "a/b"),
      ("src", ".src"), ("src", "src/.hidden"), ("*.c", "a.C"), ("é", "e\u{301}"),
      ("[[:digit:]]", "a"), ("{foo,}", "x/y"), ("{,a}", "x"),
      ("\\[id]", "i"), ("[ab]", "[ba]"), ("[ab]", "a/x"), ("{a}", "a"), ("{a,b}", "{a,b}"),
    ])
  func matchesNot(_ pattern: String, _ path: String) throws {
    #expect(try !Glob([pattern]).matches(path))
  }

  @Test("a folder whose contents are taken whole has files with a leading dot, if that is wanted")
  func hiddenContents() throws {
    let glob = try Glob(["dist", "site/**", "**/*.c", "!dist/.cache"]).withHiddenContents
    for (path, expected) in [
      ("dist/.htaccess", true), ("dist/.well-known/a", true), ("dist/.cache/a", false),
      ("site/.htaccess", true), ("site/a/.b/c", true), ("site/.git/config", false),
      ("dist/__pycache__/a.pyc", false), ("dist/a/__pycache__/b.c", true),
      ("__pycache__/b.c", true),
      ("site/a/__pycache__x", true),
      ("site/.gitignore", true), ("dist/.raclette-restoring-1/a", false), (".dist/a", false),
      ("x/.hidden.c", false), ("x/.y/a.c", false), ("x/a.c", true),
    ] {
      #expect(glob.matches(path) == expected, "\(path)")
    }
  }

  @Test("the last pattern that matches decides")
  func order() throws {
    let glob = try Glob(["src/**", "!src/gen", "src/gen/keep.c", "!**/*.o"])
    for (path, expected) in [
      ("src/a.c", true), ("src/gen/a.c", false), ("src/gen/keep.c", true), ("src/a.o", false),
      ("src/gen/x/y.c", false),
    ] {
      #expect(glob.matches(path) == expected, "\(path)")
    }
  }

  @Test("bytes that are not UTF-8 are characters of their own")
  func bytes() throws {
    let odd = String(exactly: [0x61, 0xFF, 0x2E, 0x63] as [UInt8])
    #expect(try Glob(["a?.c"]).matches(odd))
    #expect(try Glob([odd]).matches(odd))
    #expect(try Glob(["*.c"]).matches(odd))
    #expect(try !Glob(["a[a-z].c"]).matches(odd))
    #expect(try Glob(["a[!a-z].c"]).matches(odd))
  }

  @Test("a bad pattern is told")
  func problems() throws {
    for (patterns, problem) in [
      ([""], GlobError.empty), (["!"], .empty), (["a\0b"], .zeroByte(pattern: "a\0b")),
      (["a[b"], .unclosed(pattern: "a[b", bracket: "[")),
      (["a{b"], .unclosed(pattern: "a{b", bracket: "{")),
      (["[z-a]"], .reversedRange(pattern: "[z-a]")), (["!a", "!b"], .onlyExcludes),
      (["[[:alhpa:]]"], .unknownClass(pattern: "[[:alhpa:]]", name: "alhpa")), (["{,}"], .empty),
      (
        [String(repeating: "{a,b}", count: 12)],
        .tooManyAlternatives(pattern: String(repeating: "{a,b}", count: 12))
      ),
    ] {
      #expect(throws: problem) { try Glob(patterns) }
    }
  }

  @Test("many stars take no exponential time")
  func stars() throws {
    let glob = try Glob([String(repeating: "a*", count: 60) + "b"])
    #expect(!glob.matches(String(repeating: "a", count: 250)))
    let deep = try Glob([String(repeating: "**/a/", count: 30) + "b"])
    #expect(!deep.matches(String(repeating: "a/", count: 200) + "c"))
  }

  @Test("a watch can leave out folders in which nothing matches")
  func folders() throws {
    let glob = try Glob(["src/**/*.py", "!src/gen/**", "docs/*.md", "!**/node_modules", "/etc/x"])
    #expect(glob.folders == ["src", "docs", "/etc"])
    for (folder, expected) in [
      (".", true), ("src", true), ("src/a/b", true), ("docs", true), ("docs/a", false),
      ("other", false), ("src/a/node_modules", false), ("src/.git", false), ("/etc", true),
    ] {
      #expect(glob.canMatch(inFolder: folder) == expected, "\(folder)")
    }
    #expect(try Glob(["a/b", "c", "*.x"]).plainPaths == ["a/b", "c"])
    #expect(try Glob(["src"]).folders == ["."])
  }

  @Test("an empty alternative makes what is beside it optional")
  func optional() throws {
    let glob = try Glob(["a", "{b,c/*,}", "{d,e}", "!x"])
    #expect(glob.plainPaths == ["a", "b", "d", "e"])
    #expect(glob.requiredPaths == ["a", "d", "e"])
    #expect(glob.matches("b") && glob.matches("c/x") && !glob.matches("c"))
    #expect(!glob.isOptional)
    #expect(try Glob(["{b,}", "!x"]).isOptional)
    #expect(try Glob.alternatives(of: "{a,b/{c,},}") == ["a", "b/c", "b/", ""])
  }

  @Test(
    "a path that is written like a pattern with brackets need not exist, and leads nowhere else")
  func literal() throws {
    let glob = try Glob(["app/[id]", "a", "!app/[x]"])
    #expect(glob.literalPaths == ["app/[id]"])
    #expect(glob.plainPaths == ["a"])
    #expect(glob.requiredPaths == ["a"])
    #expect(glob.folders == ["app", "."])
    #expect(!glob.isOptional && !glob.matches("app/[x]"))
    #expect(glob.withHiddenContents.matches("app/[id]/.hidden"))
  }

  @Test("tells in which folders a new file could match by its name")
  func lists() throws {
    let glob = try Glob(["src/*.c", "a.c", "lib/a.c", "docs", "all/**/x", "!src/gen", "*/by/*"])
    for (folder, expected) in [
      (".", true), ("src", true), ("src/gen", false), ("lib", false), ("docs", true),
      ("docs/a", true), ("all", true), ("all/b", true), ("x", false), ("x/by", true),
    ] {
      #expect(glob.lists(folder) == expected, "\(folder)")
    }
    #expect(try !Glob(["a.c", "lib/*"]).lists("."))
  }
}
