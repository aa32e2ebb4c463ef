import EventLoop
import LuaRuntime
import Reactive

/// Follows what happens at some paths for one subscription: a watch on each folder concerned, and a
/// look at what has changed there once it has been quiet for a moment. On the loop's thread.
final class FileWatching: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  /// What of a folder is followed.
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
    let watch: FolderWatch
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

  /// Follows a folder and what is in it, or anything else by its name in its folder; it need not exist.
  func follow(_ path: String) throws {
    let path = FilePath.trimmed(path)
    if FilePath.isFolder(path) {
      try open(path, .everything)
    } else {
      let folder = FilePath.parent(of: path)
      let name = String(path.split(separator: "/").last ?? "")
      if case .names(let names) = folders[folder]?.scope {
        folders[folder]?.scope = .names(names.union([name]))
        folders[folder]?.entries[name] = FileState(path)
      } else if folders[folder] == nil {
        try open(folder, .names([name]))
      }
    }
  }

  private func open(_ path: String, _ scope: Scope) throws {
    if let known = folders[path] {
      if case .everything = known.scope { return }
      known.watch.cancel()
    }
    let watch = try loop.watchFolder(path) { [weak self] in self?.changed(path) }
    folders[path] = Folder(watch: watch, scope: scope)
    for name in FilePath.names(in: path) where scope.contains(name) {
      let inner = FilePath.join(path, name)
      guard let state = FileState(inner) else { continue }
      folders[path]?.entries[name] = state
      if state.isFolder, isRecursive, case .everything = scope { try open(inner, .everything) }
    }
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
      report(FilePath.join(path, name), before == nil ? .created : .changed)
      if state.isFolder, isRecursive, case .everything = folder.scope {
        enter(FilePath.join(path, name))
      }
    }
    if !FilePath.exists(path) { forget(path) }
  }

  /// Follows a folder that has come; what it holds already has come with it.
  private func enter(_ path: String) {
    // One that is gone again has been told already, or will be.
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

  private func forget(_ path: String) {
    folders.removeValue(forKey: path)?.watch.cancel()
  }

  private func close() {
    for folder in folders.values { folder.watch.cancel() }
    folders = [:]
    dirty = []
  }
}
