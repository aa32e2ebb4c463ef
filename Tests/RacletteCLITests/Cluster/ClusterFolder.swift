import Platform
import Testing
import TextFiles

/// A folder with commands, and a journal on the server of the tests in which their plans are executed.
final class ClusterFolder: Sendable {
  let folder: Folder
  let server: TestServer
  let url: String

  init(_ commands: String, on server: TestServer = .shared) {
    folder = Folder(commands: commands)
    self.server = server
    url = server.database()
  }

  /// Hands a plan over.
  func submit(_ plan: [String], _ options: String...) async -> Outcome {
    folder.write(plan.map { $0 + "\n" }.joined(), to: "plan.jsonl")
    return await run(["batch", "--submit", "plan.jsonl"] + options)
  }

  /// Runs the program to its end.
  func run(_ arguments: [String]) async -> Outcome {
    let launch = launch(arguments)
    return await onThread { Running(launch).finish() }
  }

  /// A text with the path of the folder in place of each `@`.
  func inside(_ text: String) -> String {
    text.split(separator: "@", omittingEmptySubsequences: false)
      .joined(separator: folder.path + "/")
  }

  /// Starts workers.
  func start(_ count: Int, _ launch: Launch) async -> [Running] {
    await onThread { (0..<count).map { _ in Running(launch) } }
  }

  /// Tells workers to end, and waits until they have.
  func end(_ workers: [Running]) async {
    for worker in workers { worker.get(signal: SIGTERM) }
    for worker in workers { _ = await onThread { worker.finish() } }
  }

  /// A worker's call; its bundles are in this folder.
  func worker(_ options: String...) -> Launch { launch(["worker"] + options) }

  func launch(_ arguments: [String]) -> Launch {
    Launch(
      arguments: arguments, folder: folder.path,
      environment: ["RACLETTE_JOURNAL": url, "XDG_CACHE_HOME": folder["cache"]])
  }

  /// The lines of a file.
  func lines(_ name: String) throws -> [String] {
    try TextFile(folder[name]).lines.filter { !$0.isEmpty }
  }

  /// The name of the database of its journal.
  var database: String {
    url.split(separator: "@/").last.map { String($0.prefix { $0 != "?" }) } ?? ""
  }

  func rows(_ query: String) async -> [String] { await server.rows(query, in: url) }

  /// Asks until a query has one row with this text.
  func waitFor(_ row: String, _ query: String) async -> Bool {
    for _ in 0..<3_000 {
      if await rows(query) == [row] { return true }
      await onThread { _ = poll(nil, 0, 100) }
    }
    return false
  }
}

extension ClusterFolder {
  /// Executes the statements of a file of `Tests/Fixtures`; false if one of them fails.
  func execute(fixture: String) async -> Bool {
    let tests = #filePath.split(separator: "RacletteCLITests")[0]
    return await server.execute(file: "\(tests)Fixtures/\(fixture).sql", in: url).status == 0
  }
}
