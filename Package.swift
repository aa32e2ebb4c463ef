// swift-tools-version: 6.0
import PackageDescription

// `--verbose --version` prints it; scripts/environment sets it for release builds.
let commit = Context.environment["RACLETTE_COMMIT"] ?? ""

/// Modules by their names, with a space between.
func names(_ names: String) -> [Target.Dependency] {
  names.split(separator: " ").map { .byName(name: String($0)) }
}

/// A library of the system; `package` is its name for pkg-config.
func system(
  _ name: String, _ package: String?, apt: String, brew: String, path: String? = nil
) -> Target {
  .systemLibrary(
    name: name, path: path, pkgConfig: package, providers: [.apt([apt]), .brew([brew])])
}

/// A module and all that it imports. `texts` is the folder whose files it embeds.
func module(_ name: String, _ imports: String = "", texts: String? = nil) -> Target {
  .target(
    name: name, dependencies: names(imports), exclude: texts.map { [$0] } ?? [],
    plugins: texts.map { _ in ["EmbedTexts"] } ?? [])
}

/// A module that only tests use.
func support(_ name: String, _ imports: String = "") -> Target {
  .target(name: name, dependencies: names(imports), path: "Tests/\(name)")
}

/// Tests, the modules that they import, and the executables that they start.
func tests(
  _ name: String, _ imports: String, programs: String = "", exclude: [String] = []
) -> Target {
  .testTarget(name: name, dependencies: names(imports) + names(programs), exclude: exclude)
}

let package = Package(
  name: "raclette",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "raclette", targets: ["raclette"]),
    .library(name: "Reactive", targets: ["Reactive"]),
    .library(name: "ReactiveTesting", targets: ["ReactiveTesting"]),
    .library(name: "Commands", targets: ["Commands"]),
    .library(name: "Scripting", targets: ["Scripting", "EventLoop", "LuaRuntime"]),
  ],
  targets: [
    .plugin(name: "EmbedTexts", capability: .buildTool()),
    system("CLua", "lua5.4", apt: "liblua5.4-dev", brew: "lua"),
    system("CLibUV", "libuv", apt: "libuv1-dev", brew: "libuv"),
    system("CJansson", "jansson", apt: "libjansson-dev", brew: "jansson"),
    system("CSQLite", "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
    system("CUTF8Proc", nil, apt: "libutf8proc-dev", brew: "utf8proc"),
    system("CCrypto", "libcrypto", apt: "libssl-dev", brew: "openssl"),

    module("CArguments"),
    module("CLuaShims", "CLua CSignals CThreadSanitizer"),
    module("CCurl"),
    module("CMicroHTTP"),
    module("CPostgreSQL"),
    module("CSignals"),
    module("CThreadSanitizer"),
    module("CYAML"),
    .target(name: "CVersion", cSettings: [.define("RACLETTE_COMMIT", to: "\"\(commit)\"")]),

    module("Platform"),
    module("Digests", "CCrypto Platform"),
    module("Reactive", "CSignals CThreadSanitizer Platform"),
    module("ReactiveTesting", "Reactive"),
    module("EventLoop", "CLibUV Platform Reactive"),
    module("Commands", "Reactive"),
    module("LuaRuntime", "CLuaShims Platform"),
    module(
      "Scripting", "CJansson CYAML Commands Digests EventLoop LuaRuntime Platform Reactive"),
    module("Journal", "CSQLite Digests Platform"),
    module("LineEditor", "CUTF8Proc"),
    module(
      "RunnerCore",
      """
      CCurl CSignals Commands Digests EventLoop Journal LineEditor LuaRuntime Platform Reactive \
      Scripting
      """),
    module(
      "RunnerBatch",
      "Commands Digests EventLoop Journal LineEditor LuaRuntime Platform Reactive RunnerCore Scripting"
    ),
    module(
      "RunnerREPL",
      "CSignals Commands EventLoop LineEditor LuaRuntime Platform Reactive RunnerCore Scripting"),
    module(
      "RunnerPanel",
      "CMicroHTTP Commands EventLoop Journal LuaRuntime Platform Reactive RunnerCore Scripting",
      texts: "Page"),
    module(
      "RunnerCluster",
      """
      CCrypto CPostgreSQL Commands Digests EventLoop Journal LuaRuntime Platform Reactive RunnerBatch \
      RunnerCore Scripting
      """,
      texts: "SQL"),
    module(
      "RacletteCLI",
      """
      CSignals Commands EventLoop Journal LineEditor LuaRuntime Platform Reactive RunnerBatch \
      RunnerCluster RunnerCore RunnerPanel RunnerREPL Scripting
      """),
    .executableTarget(
      name: "raclette", dependencies: names("CArguments CVersion Platform RacletteCLI")),

    module("CLuaFloors", "CLua"),
    module("CServerFloor", "CLibUV"),
    module("CQueueFloor"),
    .executableTarget(
      name: "Benchmarks",
      dependencies: names(
        """
        CLibUV CLuaFloors CQueueFloor CServerFloor Commands EventLoop LuaRuntime Platform Reactive \
        Scripting
        """)),

    support("CSanitizer"),
    support("CLateStop"),
    support("CPowerLoss", "CSQLite"),
    system("CVTerm", "vterm", apt: "libvterm-dev", brew: "libvterm", path: "Tests/CVTerm"),
    support("TerminalScreen", "CVTerm"),
    support("TextFiles", "Platform"),
    .executableTarget(
      name: "EmbeddingProgram", dependencies: names("EventLoop Platform"),
      path: "Tests/EmbeddingProgram"),
    tests("PlatformTests", "Platform TextFiles"),
    tests("DigestsTests", "Digests"),
    tests("ReactiveTests", "CSanitizer Platform Reactive ReactiveTesting TextFiles"),
    tests("CommandsTests", "Commands Platform Reactive ReactiveTesting TextFiles"),
    tests(
      "EventLoopTests", "CLateStop EventLoop Platform TextFiles", programs: "EmbeddingProgram"),
    tests("LuaRuntimeTests", "CLuaShims CSanitizer LuaRuntime Platform TextFiles"),
    tests(
      "ScriptingTests",
      """
      Commands Digests EventLoop LuaRuntime Platform Reactive ReactiveTesting Scripting TextFiles
      """),
    tests("JournalTests", "CPowerLoss Journal Platform TextFiles", exclude: ["Journals"]),
    tests("RunnerCoreTests", "Platform RunnerCore Scripting"),
    tests("LineEditorTests", "LineEditor Platform TerminalScreen TextFiles"),
    tests(
      "RacletteCLITests",
      """
      CJansson CLibUV CSanitizer CVTerm EventLoop LuaRuntime Platform Reactive RunnerCore RunnerPanel \
      RunnerREPL Scripting TerminalScreen TextFiles
      """,
      programs: "Benchmarks raclette", exclude: ["Batch/junit.xsd"]),
  ],
  swiftLanguageModes: [.v6]
)

// scripts/test names the targets of tests that it runs, or `libraries` for all but those of the program.
// What they do not import is left out, and the program too: its release executable is tested.
if let chosen = Context.environment["RACLETTE_TESTS"] {
  let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
  let released: Set = ["Benchmarks", "raclette"]
  var needed: Set<String> = []
  var pending =
    chosen == "libraries"
    ? package.targets.filter { $0.type == .test }.map(\.name).filter { $0 != "RacletteCLITests" }
    : chosen.split(separator: " ").map(String.init)
  while let name = pending.popLast() {
    guard let target = targets[name] else { fatalError("there is no target '\(name)'") }
    guard needed.insert(name).inserted else { continue }
    target.dependencies.removeAll { released.contains($0.target) }
    pending += target.dependencies.map(\.target)
  }
  package.targets.removeAll { $0.type != .plugin && !needed.contains($0.name) }
  package.products.removeAll {
    guard let library = $0 as? Product.Library else { return true }
    return !needed.isSuperset(of: library.targets)
  }
}

extension Target.Dependency {
  /// The name of a target of this package, as all are.
  fileprivate var target: String {
    guard case .byNameItem(let name, _) = self else { fatalError("\(self) is no target's name") }
    return name
  }
}
