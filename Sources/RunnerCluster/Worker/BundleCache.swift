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
    removeOld()
  }

  /// Removes what has not been used for long, and what workers have left that were killed.
  private func removeOld() {
    for name in names(inFolder: folder) ?? [] {
      let path = "\(folder)/\(name)"
      let isPart = name.hasSuffix(Self.partSuffix)
      var information = stat()
      guard lstat(path, &information) == 0 else { continue }
      let age = time(nil) - information.modificationTime.tv_sec
      guard age > (isPart ? Self.longestFetch : Self.longestRest) else { continue }
      // It vanishes at once: another worker may begin to use it.
      let last = isPart ? path : path + Self.partSuffix
      if isPart || rename(path, last) == 0 { removeFolder(last) }
    }
  }

  /// Makes the age of a bundle count from now.
  private func markUse(of path: String) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    futimens(descriptor, nil)
    close(descriptor)
  }

  private static let partSuffix = ".part"
  /// Seconds that fetching a bundle takes at most: a day.
  private static let longestFetch = 86_400
  /// Seconds for which a bundle is kept that is not used: 30 days.
  private static let longestRest = 30 * 86_400

  /// Calls `answer` with the folder of a bundle.
  func folder(of bundle: String, _ answer: @escaping Answer) {
    let path = "\(folder)/\(bundle)"
    guard bundle.utf8.allSatisfy({ $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ".") }),
      !bundle.isEmpty
    else { return answer(.failure(.damaged("the name of a bundle is not valid"))) }
    if access(path, F_OK) == 0 {
      markUse(of: path)
      return answer(.success(path))
    }
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
        let place = "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36))" + Self.partSuffix
        guard makeFolders(above: place + "/") else {
          return end(bundle, .failure(.system(place, code: errno)))
        }
        take(files[...], into: place) { [self] problem in
          var problem = problem
          if problem == nil, rename(place, path) != 0 {
            let code = errno
            // Another worker of this machine may have been faster.
            if access(path, F_OK) != 0 { problem = .system(path, code: code) }
          }
          removeFolder(place)
          end(bundle, problem.map { .failure($0) } ?? .success(path))
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

  /// True if trying again may help: a disk may have space again.
  var mayPass: Bool { if case .damaged = self { false } else { true } }

  var description: String {
    switch self {
    case .server(let error): "\(error)"
    case .damaged(let reason): "the bundle is damaged: \(reason)"
    case .system(let path, let code): "cannot write '\(path)': \(systemErrorText(code))"
    }
  }
}
