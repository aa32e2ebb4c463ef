import Digests
import Platform
import RunnerCore

/// The bundles of this machine, each in a folder with its digest as the name. A bundle is fetched
/// once, and appears in the cache as a whole.
///
/// On the loop's thread.
final class BundleCache {
  typealias Answer = (Result<String, BundleCacheError>) -> Void

  private let link: ServerLink
  private let session: () -> String
  private let folder: String
  /// The folders in which bundles are used.
  let workFolders: WorkFolders
  /// Those who wait for a bundle that is being fetched.
  private var waiting: [String: [Answer]] = [:]

  init(_ link: ServerLink, session: @escaping () -> String) {
    self.link = link
    self.session = session
    let home = environment("HOME") ?? "/tmp"
    let cache = (ProcessEnvironment.folder(of: "XDG_CACHE_HOME") ?? "\(home)/.cache") + "/raclette"
    folder = cache + "/bundles"
    workFolders = WorkFolders(in: cache)
  }

  /// Calls `answer` with the folder of a bundle.
  func folder(of bundle: String, _ answer: @escaping Answer) {
    let path = "\(folder)/\(bundle)"
    guard bundle.utf8.allSatisfy({ $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ".") }),
      !bundle.isEmpty
    else { return answer(.failure(.damaged("the name of a bundle is not valid"))) }
    if access(path, F_OK) == 0 { return answer(.success(path)) }
    if waiting[bundle] != nil {
      waiting[bundle]?.append(answer)
      return
    }
    waiting[bundle] = [answer]
    fetch(bundle, into: path)
  }

  private func end(_ bundle: String, _ result: Result<String, BundleCacheError>) {
    for answer in waiting.removeValue(forKey: bundle) ?? [] { answer(result) }
  }

  private struct File {
    let path: String
    let blob: String
    let size: Int
    let mode: Int
  }

  private func fetch(_ bundle: String, into path: String) {
    link.send("SELECT * FROM raclette.files_of($1, $2)", [.text(session()), .text(bundle)]) {
      [self] answer in
      switch answer {
      case .failure(let error): end(bundle, .failure(.server(error)))
      case .success(let rows):
        let files = (0..<rows.count).map {
          File(
            path: rows.text($0, 0) ?? "", blob: rows.text($0, 1) ?? "", size: rows.integer($0, 2),
            mode: rows.integer($0, 3))
        }
        let place = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).part"
        guard makeFolders(above: place + "/") else {
          return end(bundle, .failure(.system(place, code: errno)))
        }
        take(files[...], into: place) { [self] problem in
          if let problem { return end(bundle, .failure(problem)) }
          // Another worker of this machine may have been faster.
          if rename(place, path) != 0, access(path, F_OK) != 0 {
            return end(bundle, .failure(.system(path, code: errno)))
          }
          end(bundle, .success(path))
        }
      }
    }
  }

  private func take(
    _ files: ArraySlice<File>, into place: String, _ then: @escaping (BundleCacheError?) -> Void
  ) {
    guard let file = files.first else { return then(nil) }
    let parts = file.path.split(separator: "/", omittingEmptySubsequences: false)
    guard !file.path.hasPrefix("/"), !parts.contains(".."), !parts.contains("") else {
      return then(.damaged("it names the file '\(file.path)'"))
    }
    let path = "\(place)/\(file.path)"
    guard makeFolders(above: path), let target = fopen(path, "w") else {
      return then(.system(path, code: errno))
    }
    take(file, part: 0, SHA256(), into: target) { [self] problem in
      if fclose(target) != 0 { return then(.system(path, code: errno)) }
      chmod(path, mode_t(file.mode) & 0o555 | 0o400)
      if let problem { return then(problem) }
      take(files.dropFirst(), into: place, then)
    }
  }

  private func take(
    _ file: File, part: Int, _ digest: SHA256, into target: UnsafeMutablePointer<FILE>,
    _ then: @escaping (BundleCacheError?) -> Void
  ) {
    link.send(
      "SELECT * FROM raclette.part_of($1, $2, $3)",
      [.text(session()), .text(file.blob), .integer(part)]
    ) { [self] answer in
      var digest = digest
      switch answer {
      case .failure(let error): then(.server(error))
      case .success(let rows):
        guard rows.count > 0, let bytes = rows.binary(0, 0) else {
          let isIntact = digest.finish().hexadecimal == file.blob
          return then(isIntact ? nil : .damaged("the content of '\(file.path)' has changed"))
        }
        digest.update(bytes)
        guard fwrite(bytes, 1, bytes.count, target) == bytes.count else {
          return then(.system(file.path, code: errno))
        }
        take(file, part: part + 1, digest, into: target, then)
      }
    }
  }
}

/// The reason why a bundle cannot be used.
enum BundleCacheError: Error, CustomStringConvertible {
  case server(ServerError)
  case damaged(String)
  case system(String, code: Int32)

  var description: String {
    switch self {
    case .server(let error): "\(error)"
    case .damaged(let reason): "the bundle is damaged: \(reason)"
    case .system(let path, let code): "cannot write '\(path)': \(systemErrorText(code))"
    }
  }
}
