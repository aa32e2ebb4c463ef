import Platform
import Testing

/// A folder with commands whose hub ends with the test, whatever the test does to it.
final class HubFolder: Sendable {
  let folder: Folder
  /// The folder for hubs that have no place beside their command file.
  let runtime = Folder()
  let path: String

  /// - Parameter path: the folder of the command file, below the temporary one.
  init(commands text: String, below path: String = ".") {
    folder = Folder()
    self.path = path == "." ? folder.path : folder[path]
    folder.write(text, to: path == "." ? "commands.lua" : "\(path)/commands.lua")
  }

  deinit {
    for place in [path + "/.raclette", runtime["raclette"]] {
      for name in Folder.names(in: place) where name.hasSuffix(".lock") {
        guard let pid = Self.process(in: "\(place)/\(name)"), Self.isHub(pid) else { continue }
        kill(pid, SIGTERM)
        eventually { hasEnded(pid) }
      }
    }
  }

  var environment: [String: String] { ["XDG_RUNTIME_DIR": runtime.path] }

  /// The file of the hub with an ending.
  func file(_ ending: String) -> String { "\(path)/.raclette/hub-\(getuid()).\(ending)" }

  /// The process id of the hub that started last; one that no process has if there is none.
  var process: pid_t { Self.process(in: file("lock")) ?? .max }

  /// True for a hub, and not for another process that has its number by now.
  private static func isHub(_ process: pid_t) -> Bool {
    let words = fileContent("/proc/\(process)/cmdline") ?? []
    return String(decoding: words, as: UTF8.self).contains(":hub")
  }

  /// The process id in the lock file of a hub.
  static func process(in lock: String) -> pid_t? {
    guard let file = fopen(lock, "re") else { return nil }
    defer { fclose(file) }
    var number: Int32 = 0
    return withUnsafeMutablePointer(to: &number) { number in
      withVaList([number]) { vfscanf(file, "%d", $0) }
    } == 1 ? number : nil
  }

  /// What the command file holds.
  var commands: String {
    String(decoding: fileContent(path + "/commands.lua") ?? [], as: UTF8.self)
  }

  /// What services have written to the file `log`.
  var log: String {
    guard let bytes = fileContent(path + "/log") else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What the hub has noted.
  var logOfHub: String { String(decoding: fileContent(file("log")) ?? [], as: UTF8.self) }

  /// The number of users of the only service that the hub lists; nil if it lists none.
  var users: Int? {
    let listed = Running(launch("ps", "--json")).finish().output
    return listed.firstMatch(of: /"users":(\d+)/).flatMap { Int($0.output.1) }
  }

  func launch(_ arguments: String...) -> Launch {
    Launch(arguments: arguments, folder: path, environment: environment)
  }

  func call(_ arguments: String...) async -> Outcome {
    let launch = Launch(arguments: arguments, folder: path, environment: environment)
    return await onThread { Running(launch).finish() }
  }

  /// What `logs` prints of a service, without the times of its runs.
  func logs(_ name: String) async -> String { await call("logs", name).output.withoutTimesOfRuns }

  /// Removes the folder with the hub's files, as `git clean -fdx` does.
  func removePlace() {
    let place = path + "/.raclette"
    for name in Folder.names(in: place) { unlink("\(place)/\(name)") }
    rmdir(place)
  }

  /// Waits until no hub runs.
  func waitForEndOfHub(sourceLocation: SourceLocation = #_sourceLocation) {
    let pid = process
    eventually(sourceLocation: sourceLocation) { hasEnded(pid) }
  }
}

extension String {
  /// The record of a service without the times of its runs.
  var withoutTimesOfRuns: String {
    replacing(/--- started [\d-]+ [\d:]+ ---/, with: "--- started TIME ---")
  }
}

/// Executes what a page of the guide shows, in a folder whose hub ends with it.
func executeSamples(ofPage page: String) async throws {
  let folder = HubFolder(commands: "")
  let name = page.split(separator: "/").last ?? ""
  for block in try GuidePage(page).blocks {
    switch block.kind {
    case .file(let path): folder.folder.write(block.text, to: path)
    case .console:
      let starts = block.lines.indices.filter { block.lines[$0].hasPrefix("$ ") }
      for start in starts {
        let answer = Array(block.lines[(start + 1)...].prefix { !$0.hasPrefix("$ ") })
        let run = await shell("\(block.lines[start].dropFirst(2)) 2>&1", in: folder.folder)
        #expect(run.lines == answer, "\(name).md:\(block.line + start + 1)")
      }
    default: break
    }
  }
}
