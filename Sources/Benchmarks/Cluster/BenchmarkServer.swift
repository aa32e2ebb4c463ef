import Platform

/// A PostgreSQL server of the benchmarks, in a temporary folder, which syncs what it commits.
final class BenchmarkServer {
  let folder: String
  private let programs: String
  private var journals = 0

  /// - Returns: nil if PostgreSQL is not installed.
  init?() {
    let root = "/usr/lib/postgresql"
    guard let version = (Platform.names(inFolder: root) ?? []).compactMap({ Int($0) }).max() else {
      return nil
    }
    programs = "\(root)/\(version)/bin"
    var template = Array("/tmp/raclette-benchmark-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    chmod(folder, 0o755)
    if getuid() == 0 { runProcess(["chown", "postgres", folder]) }
    run("initdb -A trust -U postgres -D \(folder)/data")
    run(
      "pg_ctl -w -D \(folder)/data -l \(folder)/log "
        + "-o '-c listen_addresses= -c unix_socket_directories=\(folder)' start")
  }

  /// Ends it and removes its folder.
  func end() {
    run("pg_ctl -w -m immediate -D \(folder)/data stop")
    runProcess(["rm", "-rf", folder])
  }

  /// Executes a program of the server as the user that a server runs as.
  private func run(_ line: String) {
    let line = "cd / && exec \(programs)/\(line) >/dev/null 2>&1 </dev/null"
    runProcess((getuid() == 0 ? ["runuser", "-u", "postgres", "--"] : []) + ["sh", "-c", line])
  }

  /// The URL of a new, empty journal.
  func journal() -> String {
    journals += 1
    run("psql -h \(folder) -U postgres -c 'CREATE DATABASE journal\(journals)'")
    let url = "postgresql://postgres@/journal\(journals)?host=\(folder)"
    runProcess([raclettePath(), "-q", "journal", "init", url])
    return url
  }

  /// Removes the numbers of pages that still have to be written from what is measured next.
  func settle() { run("psql -h \(folder) -U postgres -c CHECKPOINT") }

  /// The first column of a query's only row.
  func number(_ query: String, in url: String) -> Int {
    guard let output = popen("\(programs)/psql -qAt -c '\(query)' '\(url)'", "re") else {
      return -1
    }
    defer { pclose(output) }
    var line = [CChar](repeating: 0, count: 64)
    fgets(&line, Int32(line.count), output)
    return Int(atoi(line))
  }
}
