import Platform
import Synchronization
import Testing
import TextFiles

/// A PostgreSQL server of the tests alone, in a temporary folder, reached by a Unix socket.
final class TestServer: Sendable {
  /// The server that tests share whose subject is not the server itself. It is started when the first
  /// test needs it, and ends with the tests.
  static let shared: TestServer = {
    let server = TestServer(["fsync=off", "full_page_writes=off"])
    atexit { TestServer.shared.stop() }
    return server
  }()

  /// The folder with the server's programs; nil if it is not installed.
  private static let programs: String? = {
    let root = "/usr/lib/postgresql"
    let versions = Folder.names(in: root).compactMap { Int($0) }.sorted()
    return versions.last.map { "\(root)/\($0)/bin" }
  }()

  static var isInstalled: Bool { programs != nil }

  let folder: String
  private let settings: [String]
  private let disk: Disk?
  private let number = Mutex(0)

  /// - Parameters:
  ///   - settings: lines of its configuration.
  ///   - disk: a file system of its own.
  ///   - makesJournal: false for a server without the journal that others are copied from.
  ///   - prepare: puts into its folder what it needs to start.
  init(
    _ settings: [String] = [], on disk: Disk? = nil, makesJournal: Bool = true,
    prepare: (_ folder: String) -> Void = { _ in }
  ) {
    folder = Self.makeFolder()
    self.settings = settings
    self.disk = disk
    disk?.mount(on: folder)
    giveFolder()
    let made = run(
      ["initdb", "-A", "trust", "-U", "postgres", "-D", "\(folder)/data"]
        + (disk == nil ? ["--no-sync"] : []))
    check(made == 0, "no server could be made")
    prepare(folder)
    start()
    if makesJournal { makeTemplate() }
  }

  /// A standby that follows a server.
  init(following primary: TestServer) {
    folder = Self.makeFolder()
    settings = primary.settings
    disk = nil
    giveFolder()
    let copied = run([
      "pg_basebackup", "-h", primary.folder, "-U", "postgres", "-D", "\(folder)/data", "-R", "-c",
      "fast", "--no-sync",
    ])
    check(copied == 0, "no standby could be made")
    start()
  }

  /// Makes it the primary.
  func promote() {
    let status = run(["pg_ctl", "-w", "-t", "300", "-D", "\(folder)/data", "promote"])
    check(status == 0, "the standby does not become the primary")
  }

  private static func makeFolder() -> String {
    var template = Array("/tmp/raclette-server-XXXXXX".utf8CString)
    if mkdtemp(&template) == nil { Issue.record("no temporary folder could be made") }
    return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Lets the user that a server runs as write into the folder.
  private func giveFolder() {
    guard getuid() == 0 else { return }
    check(spawnAndWait(["/bin/chown", "postgres", folder]) == 0, "postgres gets no folder")
  }

  /// Fails the test that runs, and not the process of all tests, if a step of the server has failed.
  private func check(_ hasWorked: Bool, _ problem: @autoclosure () -> String) {
    if !hasWorked { Issue.record("\(problem())") }
  }

  /// Starts it, and waits until it answers.
  func start() {
    let settings = ["listen_addresses=", "unix_socket_directories=\(folder)"] + self.settings
    let words = settings.map { "-c \($0)" }.joined(separator: " ")
    let status = run([
      "pg_ctl", "-w", "-t", "300", "-D", "\(folder)/data", "-l", "\(folder)/log", "-o", words,
      "start",
    ])
    check(
      status == 0,
      "the server does not start: \((try? TextFile("\(folder)/log").lines.suffix(5)) ?? [])")
  }

  /// Ends it as a crash would.
  func end() {
    _ = run(["pg_ctl", "-w", "-m", "immediate", "-D", "\(folder)/data", "stop"])
  }

  /// True if it answers.
  var isUp: Bool { run(["pg_isready", "-h", folder]) == 0 }

  /// Starts it again with what has been written into the files of its configuration.
  func restart() {
    end()
    start()
  }

  /// Ends it and removes its folder.
  func stop() {
    end()
    disk?.unmount(from: folder)
    spawnAndWait(["/bin/rm", "-rf", folder])
  }

  /// Executes a line of the shell as the user that a server runs as.
  private func run(_ words: [String]) -> Int32 {
    let command = ([Self.programs ?? "", words[0]].joined(separator: "/"))
    let quoted = ([command] + words.dropFirst()).map { "'\($0)'" }.joined(separator: " ")
    let line = "cd / && exec \(quoted) >/dev/null 2>&1 </dev/null"
    return spawnAndWait(
      getuid() == 0
        ? ["/sbin/runuser", "-u", "postgres", "--", "/bin/sh", "-c", line]
        : ["/bin/sh", "-c", line])
  }

  private func makeTemplate() {
    execute("CREATE DATABASE journal")
    let status = spawnAndWait([Program.path, "--quiet", "journal", "init", url(of: "journal")])
    check(status == 0, "no journal could be made")
  }

  /// The URL of a new database with an empty journal.
  func database() -> String {
    let name = number.withLock { number in
      number += 1
      // One after the other: a database that is copied must have no connections.
      execute("CREATE DATABASE journal\(number) TEMPLATE journal")
      return "journal\(number)"
    }
    return url(of: name)
  }

  /// Moves the tables of a database, which has no connections, to a file system of their own: a
  /// tablespace, without the server's log.
  ///
  /// - Returns: the folder where it is mounted, until `leaveDisk`.
  func move(_ url: String, to disk: Disk) -> String {
    let place = "\(folder)/space"
    mkdir(place, 0o755)
    disk.mount(on: place)
    mkdir("\(place)/tables", 0o700)
    if getuid() == 0 {
      check(spawnAndWait(["/bin/chown", "-R", "postgres", place]) == 0, "postgres gets no folder")
    }
    let name = url.dropFirst("postgresql://postgres@/".count).prefix { $0 != "?" }
    execute("CREATE TABLESPACE small LOCATION $$\(place)/tables$$")
    execute("ALTER DATABASE \(name) SET TABLESPACE small")
    return place
  }

  /// Ends it with the file system that a database was moved to.
  func stop(leaving disk: Disk, at place: String) {
    end()
    disk.unmount(from: place)
    stop()
  }

  private func url(of database: String) -> String {
    "postgresql://postgres@/\(database)?host=\(folder)"
  }

  private func execute(_ statement: String) {
    let status = run(["psql", "-q", "-h", folder, "-U", "postgres", "-c", statement, "postgres"])
    check(status == 0, "the server refuses: \(statement)")
  }

  /// The rows of a query, their columns separated by bars.
  func rows(_ query: String, in url: String) async -> [String] {
    await rows([query], in: url)
  }

  /// The rows of queries that one session executes, each in a transaction.
  func rows(_ queries: [String], in url: String) async -> [String] {
    let launch = Launch(
      program: "\(Self.programs ?? "")/psql",
      arguments: ["-qAt"] + queries.flatMap { ["-c", $0] } + [url])
    return await onThread { Running(launch).finish() }.lines
  }

  /// Executes the statements of a file, up to the first that fails.
  func execute(file: String, in url: String) async -> Outcome {
    let launch = Launch(
      program: "\(Self.programs ?? "")/psql",
      arguments: ["-qAt", "-v", "ON_ERROR_STOP=1", "-f", file, url])
    return await onThread { Running(launch).finish() }
  }
}
