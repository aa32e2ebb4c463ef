import Platform
import Testing

/// Random rules and folders, and what `git check-ignore` says of them.
@Suite("what is ignored is what git ignores", .enabled(if: Git.isThere, "git is not installed"))
struct GitDifferenceTests {
  @Test func randomRules() {
    let rounds = getenv("RACLETTE_LONG") == nil ? 40 : 3_500
    var random = Random(state: 20_260_731)
    for _ in 0..<rounds {
      let scene = IgnoreScene(&random)
      let ignore = GitIgnore(scene.tree.path)
      let ours = scene.paths.filter { ignore.ignores($0.path, isFolder: $0.isFolder) }.map(\.path)
      let theirs = Git.ignored(scene.paths.map(\.path), in: scene.tree.path)
      #expect(ours == theirs, "\(scene.rules)")
      if ours != theirs { return }
    }
  }
}

/// A repository with random files and random rules for them.
private struct IgnoreScene {
  let tree = Tree([".git/objects/", ".git/refs/"])
  var paths: [(path: String, isFolder: Bool)] = []
  var rules: [String: String] = [:]

  private static let names = [
    "a", "b", "ab", "foo", "bar", "build", "x.o", "y.c", "a]", "-", "b-a", "foo.", ".x", "é", "a b",
    "A", "[a]", "foobar", "*", #"a\b"#,
  ]
  private static let atoms = [
    "a", "b", "foo", "bar", "build", ".o", "*", "?", "**", "/", "/", "/", "**/", "/**", "[ab]",
    "[!ab]", "[^/]", "[a-c]", "[b-a]", "[!b-a]", "[[:alpha:]]", "[![:space:]]", "[[:foo:]]",
    "[]a]", "[a", #"\"#, #"\/"#, #"\*"#, "!", "#", " ", #"\ "#, "x", ".", "..", "./", "//", "é",
    "??", "-", "[]-]", #"[\]]"#, "[a-]", "[[:alpha:]uild", "[:a]", "[[:a]", "{a,b}", "\t", "\r",
    "[^a]", "[*]", "A",
  ]
  private static let known = [
    "./build", "foo//", "//a", "foo/.", "*//", #"foo\/bar"#, "[^/]", "!", "/", "**", "", "#a", "!/",
    "a/**/b", "/*", "!*/", "*/", "foo**/bar", "foo*/**", "**foo", "a**", "**/**",
  ]

  init(_ random: inout Random) {
    tree.make(".git/HEAD", "ref: refs/heads/main\n")
    grow("", depth: 0, &random)
    let folders = paths.filter { $0.isFolder && random.below(5) == 0 }.map { $0.path + "/" }
    for folder in [""] + folders {
      let lines = (0...random.below(4)).map { _ in Self.rule(&random) }
      let mark = random.below(10) == 0 ? "\u{FEFF}" : ""
      let text = mark + lines.joined(separator: "\n") + ["", "\n", "\r\n"][random.below(3)]
      rules[folder] = text
      tree.make(folder + ".gitignore", text)
    }
  }

  private mutating func grow(_ folder: String, depth: Int, _ random: inout Random) {
    for name in Self.names where random.below(5) == 0 {
      let isFolder = depth < 3 && random.below(9) < 4
      let path = folder + name
      tree.make(isFolder ? path + "/" : path)
      paths.append((path, isFolder))
      if isFolder { grow(path + "/", depth: depth + 1, &random) }
    }
  }

  private static func rule(_ random: inout Random) -> String {
    if random.below(10) == 0 { return known[random.below(known.count)] }
    return (0...random.below(5)).map { _ in atoms[random.below(atoms.count)] }.joined()
  }
}

private enum Git {
  static var isThere: Bool { run(["--version"], in: "/", input: [], to: "/dev/null") == 0 }

  /// The paths that git ignores, in their order.
  static func ignored(_ paths: [String], in folder: String) -> [String] {
    let output = folder + "/.git/ignored"
    let input = Array(paths.map { $0 + "\0" }.joined().utf8)
    _ = run(["check-ignore", "--no-index", "-z", "--stdin"], in: folder, input: input, to: output)
    return (fileContent(output) ?? []).split(separator: 0).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  private static func run(
    _ words: [String], in folder: String, input: [UInt8], to output: String
  ) -> Int32 {
    let source = folder == "/" ? "/dev/null" : folder + "/.git/paths"
    if folder != "/", let file = fopen(source, "we") {
      fwrite(input, 1, input.count, file)
      fclose(file)
    }
    // Nobody's settings count.
    let line =
      "cd '\(folder)' && HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1 exec git "
      + words.joined(separator: " ") + " <'\(source)' >'\(output)' 2>/dev/null"
    let all: [String] = ["sh", "-c", line]
    var arguments: [UnsafeMutablePointer<CChar>?] = all.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    var child: pid_t = 0
    guard posix_spawn(&child, "/bin/sh", nil, nil, &arguments, environ) == 0 else { return -1 }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status
  }
}

/// A generator with a fixed sequence (SplitMix64).
private struct Random {
  var state: UInt64

  mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ value >> 31) % UInt64(limit))
  }
}
