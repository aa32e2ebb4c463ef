import Platform
import Testing

@testable import Scripting

@Suite("patterns of a folder as those of the program's") struct PlacedPatternTests {
  struct Place: Sendable {
    let pattern: String
    var folder = "src"
    let placed: String
  }

  @Test(
    "lose the names that a following '..' leaves",
    arguments: [
      Place(pattern: "x", placed: "src/x"),
      Place(pattern: "./x", placed: "src/x"),
      Place(pattern: "../a", placed: "a"),
      Place(pattern: "!../gen", placed: "!gen"),
      Place(pattern: "../*.c", placed: "*.c"),
      Place(pattern: "../../a", placed: "../a"),
      Place(pattern: "..", placed: "."),
      Place(pattern: "../", placed: "./"),
      Place(pattern: "../..", placed: ".."),
      Place(pattern: "lib/../*", placed: "src/*"),
      Place(pattern: "/p/src/../a", placed: "/p/a"),
      Place(pattern: "/a/..", placed: "/"),
      Place(pattern: "a/../b//./c", folder: "", placed: "b/c"),
      Place(pattern: "../b", folder: "a/src", placed: "a/b"),
      Place(pattern: "../../b", folder: "[id]/src", placed: "b"),
      Place(pattern: "../b", folder: "[id]/src", placed: #"\[id\]/b"#),
      Place(pattern: "../b", folder: "../a", placed: "../b"),
      Place(pattern: "../!x", placed: #"\!x"#),
      Place(pattern: "./!x", folder: "", placed: #"\!x"#),
      Place(pattern: "!./!x", folder: "", placed: #"!\!x"#),
      Place(pattern: "!x", folder: "", placed: "!x"),
    ])
  func detours(place: Place) {
    #expect(WatchPatterns.pattern(place.pattern, in: place.folder) == place.placed)
  }

  @Test(
    "keep them behind wildcards, which may match links",
    arguments: ["*/../a", "**/x/../a", "[id]/../a"])
  func wildcards(pattern: String) {
    #expect(WatchPatterns.pattern(pattern, in: "src") == "src/" + pattern)
  }

  @Test(
    "have each of their alternatives placed for itself",
    arguments: [
      Place(pattern: "{a,b}/c", placed: "src/{a,b}/c"),
      Place(pattern: "../{a,b}", placed: "{a,b}"),
      Place(pattern: "{../a,b}", placed: "{a,src/b}"),
      Place(pattern: "!{../a,b}", placed: "!{a,src/b}"),
      Place(pattern: "{x,y}/../a", placed: "{src/a,src/a}"),
      Place(pattern: "{/p/../a,b}", placed: "{/a,src/b}"),
      Place(pattern: "{a,}", placed: "{src/a,}"),
      Place(pattern: "{../a,}", placed: "{a,}"),
      Place(pattern: "{a,}", folder: "", placed: "{a,}"),
      Place(pattern: #"{../a,b\,c}"#, placed: #"{a,src/b\,c}"#),
      Place(pattern: "{../a,b},{c}", placed: #"{a\,\{c\},src/b\,\{c\}}"#),
    ])
  func alternatives(place: Place) {
    #expect(WatchPatterns.pattern(place.pattern, in: place.folder) == place.placed)
  }

  @Test("keep the name of a link whose target is in another folder, and no other one")
  func links() throws {
    var template = Array("/tmp/raclette-test-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    let folders = ["", "/deep", "/deep/src"].map { folder + $0 }
    let links = ["far": "deep/src", "near": "deep", "broken": "nowhere"]
    for path in folders { mkdir(path, 0o755) }
    for (name, target) in links { symlink(target, "\(folder)/\(name)") }
    defer {
      for name in links.keys { unlink("\(folder)/\(name)") }
      for path in folders.reversed() { rmdir(path) }
    }
    let placed = ["far", "broken", "near", "near/src"].map {
      WatchPatterns.pattern("../a", in: "\(folder)/\($0)").dropFirst(folder.count)
    }
    #expect(placed == ["/far/../a", "/broken/../a", "/a", "/near/a"])
  }
}
