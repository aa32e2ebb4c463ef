import EventLoop
import LuaRuntime
import Reactive

/// Watches paths for one subscription: it keeps a watch on each folder concerned, and looks for
/// changes there once the folder has been quiet for a moment. Confined to the loop's thread.
final class FileWatching: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  /// The part of a folder that is watched.
  private enum Scope {
    case everything
    case names(Set<String>)

    func contains(_ name: String) -> Bool {
      switch self {
      case .everything: true
      case .names(let names): names.contains(name)
      }
    }
  }

  private struct Folder {
    var watch: FolderWatch
    var scope: Scope
    var entries: [String: FileState] = [:]
  }

  private let loop: EventLoop
  private let scheduler: Scheduler
  private let isRecursive: Bool
  private let debounce: Duration
  private let report: (String, FileChange.Kind) -> Void
  private let subscription: CompoundDisposable
  private var folders: [String: Folder] = [:]
  /// The folders that are watched as folders, whether or not they exist.
  private var roots: Set<String> = []
  /// The missing paths that are waited for, keyed by the part of each path that has to appear
  /// first.
  private var awaited: [String: Set<String>] = [:]
  private var dirty: Set<String> = []
  private var isDue = false

  init(
    _ loop: EventLoop, _ scheduler: Scheduler, isRecursive: Bool, debounce: Duration,
    in subscription: CompoundDisposable, report: @escaping (String, FileChange.Kind) -> Void
  ) {
    self.loop = loop
    self.scheduler = scheduler
    self.isRecursive = isRecursive
    self.debounce = debounce
    self.subscription = subscription
    self.report = report
    subscription.add { self.close() }
  }

  /// Watches a folder with its contents, or anything else by its name in its folder; it need not
  /// exist.
  func follow(_ path: String) throws {
    let path = FilePath.trimmed(path)
    if FilePath.isFolder(path) {
      roots.insert(path)
      try open(path, .everything)
    } else {
      try followName(of: path)
    }
  }

  /// Watches a name in its folder.
  private func followName(of path: String) throws {
    let folder = FilePath.parent(of: path)
    let name = String(path.split(separator: "/").last ?? "")
    if case .names(let names) = folders[folder]?.scope {
      folders[folder]?.scope = .names(names.union([name]))
      folders[folder]?.entries[name] = FileState(path)
    } else if folders[folder] == nil {
      try open(folder, .names([name]))
    }
  }

  private func open(_ path: String, _ scope: Scope) throws {
    if let known = folders[path] {
      if case .everything = known.scope { return }
      known.watch.cancel()
    }
    let watch = try makeWatch(path)
    folders[path] = Folder(watch: watch, scope: scope)
    for name in FilePath.names(in: path) where scope.contains(name) {
      let inner = FilePath.join(path, name)
      guard let state = FileState(inner) else { continue }
      folders[path]?.entries[name] = state
      if state.isFolder, isRecursive, case .everything = scope { try open(inner, .everything) }
    }
  }

  private func makeWatch(_ path: String) throws -> FolderWatch {
    try loop.watchFolder(path) { [weak self] in self?.changed(path) }
  }

  private func changed(_ path: String) {
    dirty.insert(path)
    guard !isDue else { return }
    isDue = true
    let waiting = subscription.makeChild()
    waiting.add(
      scheduler.schedule(after: debounce) { [weak self] in
        waiting.dispose()
        self?.look()
      })
  }

  private func look() {
    isDue = false
    let paths = dirty.sorted()
    dirty = []
    for path in paths {
      guard !subscription.isDisposed else { return }
      compare(path)
    }
  }

  private func compare(_ path: String) {
    guard let folder = folders[path] else { return }
    let isThere = FilePath.isFolder(path)
    // Another folder may have replaced it, which the watch does not cover.
    if isThere, let watch = try? makeWatch(path) {
      folder.watch.cancel()
      folders[path]?.watch = watch
    }
    var entries: [String: FileState] = [:]
    for name in FilePath.names(in: path) where folder.scope.contains(name) {
      entries[name] = FileState(FilePath.join(path, name))
    }
    folders[path]?.entries = entries
    for name in folder.entries.keys.sorted() where entries[name] == nil {
      removed(FilePath.join(path, name))
    }
    for (name, state) in entries.sorted(by: { $0.key < $1.key }) {
      guard !subscription.isDisposed else { return }
      let before = folder.entries[name]
      guard before != state else { continue }
      let inner = FilePath.join(path, name)
      if awaited[inner] != nil {
        arrived(at: inner)
        continue
      }
      report(inner, before == nil ? .created : .changed)
      if state.isFolder, isRecursive, case .everything = folder.scope { enter(inner) }
    }
    if !isThere { lose(path, folder.scope) }
  }

  // MARK: Missing paths

  private func lose(_ path: String, _ scope: Scope) {
    forget(path)
    switch scope {
    case .everything: if roots.contains(path) { waitFor(path) }
    case .names(let names):
      for inner in names.map({ FilePath.join(path, $0) }) {
        (awaited.removeValue(forKey: inner) ?? [inner]).forEach(waitFor)
      }
    }
  }

  /// Waits for a path whose folder is missing, through the nearest existing ancestor folder.
  private func waitFor(_ path: String) {
    var missing = path
    while !FilePath.isFolder(FilePath.parent(of: missing)) {
      guard missing != FilePath.parent(of: missing) else { return }
      missing = FilePath.parent(of: missing)
    }
    awaited[missing, default: []].insert(path)
    try? followName(of: missing)
    // It may have appeared meanwhile; but a file in place of a required folder does not count.
    let isName = missing == path && !roots.contains(path)
    if isName ? FilePath.exists(path) : FilePath.isFolder(missing) { arrived(at: missing) }
  }

  private func arrived(at missing: String) {
    for path in (awaited.removeValue(forKey: missing) ?? []).sorted() {
      if roots.contains(path), FilePath.isFolder(path) {
        enter(path)
      } else if path != missing || roots.contains(path) {
        waitFor(path)
      } else {
        report(path, .created)
      }
    }
  }

  /// Watches a folder that has appeared; its existing contents count as new.
  private func enter(_ path: String) {
    // If the folder is missing again, that has been reported already or will be.
    guard (try? open(path, .everything)) != nil else { return }
    reportContents(of: path)
  }

  private func reportContents(of path: String) {
    for name in folders[path]?.entries.keys.sorted() ?? [] {
      guard !subscription.isDisposed else { return }
      let inner = FilePath.join(path, name)
      report(inner, .created)
      reportContents(of: inner)
    }
  }

  private func removed(_ path: String) {
    let inner = folders[path]?.entries.keys.sorted() ?? []
    forget(path)
    for name in inner { removed(FilePath.join(path, name)) }
    if !subscription.isDisposed { report(path, .removed) }
  }

  /// Stops watching a folder.
  private func forget(_ path: String) {
    folders.removeValue(forKey: path)?.watch.cancel()
  }

  private func close() {
    for folder in folders.values { folder.watch.cancel() }
    folders = [:]
    dirty = []
  }
}
