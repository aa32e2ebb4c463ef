// swift-tools-version: 6.0
import PackageDescription

// `--verbose --version` tells it; scripts/environment sets it for release builds.
let commit = Context.environment["RACLETTE_COMMIT"] ?? ""

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
    .systemLibrary(
      name: "CLua", pkgConfig: "lua5.4",
      providers: [.apt(["liblua5.4-dev"]), .brew(["lua"])]),
    .systemLibrary(
      name: "CLibUV", pkgConfig: "libuv",
      providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]),
    .systemLibrary(
      name: "CJansson", pkgConfig: "jansson",
      providers: [.apt(["libjansson-dev"]), .brew(["jansson"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CUTF8Proc",
      providers: [.apt(["libutf8proc-dev"]), .brew(["utf8proc"])]),
    .systemLibrary(
      name: "CCrypto", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl"])]),
    .target(name: "CThreadSanitizer"),
    .target(name: "CSignals"),
    .target(name: "CMicroHTTP"),
    .target(name: "CPostgreSQL"),
    .target(name: "CLuaShims", dependencies: ["CLua", "CSignals", "CThreadSanitizer"]),
    .target(name: "Platform"),
    .target(name: "Digests", dependencies: ["Platform", "CCrypto"]),

    .target(name: "Reactive", dependencies: ["Platform", "CSignals", "CThreadSanitizer"]),
    .target(name: "ReactiveTesting", dependencies: ["Reactive"]),
    .target(name: "EventLoop", dependencies: ["Reactive", "Platform", "CLibUV", "CSignals"]),
    .target(name: "Commands", dependencies: ["Reactive"]),
    .target(name: "LuaRuntime", dependencies: ["Platform", "CLuaShims"]),
    .target(
      name: "Scripting",
      dependencies: [
        "LuaRuntime", "Commands", "EventLoop", "Reactive", "Digests", "Platform", "CJansson",
      ]),
    .target(name: "Journal", dependencies: ["Digests", "Platform", "CSQLite"]),
    .target(name: "LineEditor", dependencies: ["CUTF8Proc"]),
    .target(
      name: "RunnerCore",
      dependencies: ["Scripting", "Journal", "LineEditor", "Digests", "Platform"]),
    .target(
      name: "RunnerBatch",
      dependencies: ["RunnerCore", "Scripting", "Journal", "Digests", "Platform"]),
    .target(
      name: "RunnerREPL",
      dependencies: ["RunnerCore", "CSignals", "Scripting", "LineEditor", "Platform"]),
    .target(
      name: "RunnerPanel",
      dependencies: [
        "RunnerCore", "Scripting", "Commands", "EventLoop", "Reactive", "Platform", "CMicroHTTP",
      ],
      exclude: ["Page"], plugins: ["EmbedTexts"]),
    .target(
      name: "RunnerCluster",
      dependencies: [
        "RunnerBatch", "RunnerCore", "Scripting", "Journal", "EventLoop", "Digests", "Platform",
        "CCrypto", "CPostgreSQL",
      ],
      exclude: ["SQL"], plugins: ["EmbedTexts"]),
    .target(
      name: "RacletteCLI",
      dependencies: [
        "RunnerCluster", "RunnerBatch", "RunnerREPL", "RunnerPanel", "RunnerCore", "CSignals",
        "Scripting", "Journal", "Platform",
      ]),
    .target(name: "CVersion", cSettings: [.define("RACLETTE_COMMIT", to: "\"\(commit)\"")]),
    .target(name: "CArguments"),
    .executableTarget(
      name: "raclette", dependencies: ["RacletteCLI", "Platform", "CArguments", "CVersion"]),
    .target(name: "CLuaFloors", dependencies: ["CLua"]),
    .target(name: "CServerFloor", dependencies: ["CLibUV"]),
    .target(name: "CQueueFloor"),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "Reactive", "Commands", "EventLoop", "LuaRuntime", "Scripting", "Platform", "CLuaFloors",
        "CServerFloor", "CQueueFloor",
      ]),

    .target(name: "CSanitizer", path: "Tests/CSanitizer"),
    .systemLibrary(
      name: "CVTerm", path: "Tests/CVTerm", pkgConfig: "vterm",
      providers: [.apt(["libvterm-dev"]), .brew(["libvterm"])]),
    .target(name: "TerminalScreen", dependencies: ["CVTerm"], path: "Tests/TerminalScreen"),
    .target(name: "TextFiles", dependencies: ["Platform"], path: "Tests/TextFiles"),
    .testTarget(
      name: "ReactiveTests",
      dependencies: ["Reactive", "ReactiveTesting", "Platform", "CSanitizer", "TextFiles"]),
    .testTarget(
      name: "CommandsTests",
      dependencies: ["Commands", "ReactiveTesting", "Platform", "CSanitizer", "TextFiles"]),
    .target(name: "CLateStop", path: "Tests/CLateStop"),
    .target(name: "CPowerLoss", dependencies: ["CSQLite"], path: "Tests/CPowerLoss"),
    .testTarget(
      name: "JournalTests", dependencies: ["Journal", "Platform", "CPowerLoss", "TextFiles"],
      exclude: ["Journals"]),
    .testTarget(name: "DigestsTests", dependencies: ["Digests"]),
    .testTarget(name: "PlatformTests", dependencies: ["Platform", "TextFiles"]),
    .testTarget(name: "LineEditorTests", dependencies: ["LineEditor", "TerminalScreen"]),
    .executableTarget(
      name: "EmbeddingProgram", dependencies: ["EventLoop", "Platform"],
      path: "Tests/EmbeddingProgram"),
    .testTarget(
      name: "EventLoopTests",
      dependencies: ["EventLoop", "EmbeddingProgram", "Platform", "TextFiles", "CLateStop"]),
    .testTarget(
      name: "LuaRuntimeTests", dependencies: ["LuaRuntime", "Platform", "CSanitizer"]),
    .testTarget(
      name: "ScriptingTests",
      dependencies: ["Scripting", "ReactiveTesting", "Platform", "TextFiles"]),
    .testTarget(
      name: "RacletteCLITests",
      dependencies: [
        "RacletteCLI", "raclette", "Benchmarks", "RunnerREPL", "Scripting", "Platform", "CJansson",
        "CLibUV",
        "CVTerm", "CSanitizer", "TerminalScreen", "TextFiles",
      ],
      exclude: ["Batch/junit.xsd"]),
  ],
  swiftLanguageModes: [.v6]
)
