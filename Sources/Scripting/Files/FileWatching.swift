import EventLoop
import LuaRuntime
import Platform
import Reactive

/// Watches paths for one subscription: it keeps a watch on each folder concerned, and looks for
/// changes there once the folder has been quiet for a moment. Confined to the loop's thread.
final class FileWatching {
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
    /// The watches on the ways of links in it, and of the path of the folder itself.
    var ways: [String: FolderWatch] = [:]

    func cancel() {
      watch.cancel()
      for way in ways.values { way.cancel() }
    }
  }

  private let loop: EventLoop
  private let scheduler: Scheduler
  private let isRecursive: Bool
  private let debounce: Duration
  private let report: (String, FileChange.Kind) -> Void
  /// Called if a folder that has appeared cannot be watched.
  var onFailure: (any Error) -> Void = { _ in }
  private let subscription: CompoundDisposable
  private var folders: [String: Folder] = [:]
  /// The folders that are watched as folders, whether or not they exist.
  private var roots: Set<String> = []
  /// The rules for what is in the roots, if not everything counts.
  private var rules = RootRules()
  /// The files of rules above the roots; their changes are not reported.
  private var rulesAbove: Set<String> = []
  /// True if a file of rules has changed since they were applied.
  private var haveRulesChanged = false
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
    subscription.add(onLoop(close))
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

  /// Watches those files in folders that rules admit; the folders need not exist.
  func follow(_ rules: [WatchRules]) throws {
    // One folder may be in another whose rules leave it out.
    for rules in rules {
      self.rules.add(rules)
      roots.insert(rules.root)
    }
    for rules in rules {
      for file in rules.filesAbove {
        rulesAbove.insert(file)
        try followName(of: file)
      }
      let root = rules.root
      if FilePath.isFolder(root) { try open(root, .everything) } else { waitFor(root) }
    }
  }

  /// Watches a name in its folder.
  private func followName(of path: String) throws {
    let folder = FilePath.parent(of: path)
    let name = String(path.split(separator: "/").last ?? "")
    if case .names(let names) = folders[folder]?.scope {
      folders[folder]?.scope = .names(names.union([name]))
      folders[folder]?.entries[name] = FileState(path)
      watchWays(of: folder)
    } else if folders[folder] == nil {
      try open(folder, .names([name]))
    }
  }

  private func open(_ path: String, _ scope: Scope) throws {
    if let known = folders[path] {
      if case .everything = known.scope { return }
      known.cancel()
    }
    let watch = try makeWatch(path)
    folders[path] = Folder(watch: watch, scope: scope)
    for name in FilePath.names(in: path) where scope.contains(name) {
      let inner = FilePath.join(path, name)
      guard let state = state(of: inner, scope) else { continue }
      folders[path]?.entries[name] = state
      if state.isFolder, isRecursive, case .everything = scope { try open(inner, .everything) }
    }
    watchWays(of: path)
  }

  /// Watches the folders through which links lead: those in a folder, and those on the way to it. What
  /// changes there is found by looking at the folder again.
  private func watchWays(of path: String) {
    guard let folder = folders[path] else { return }
    var wanted = Set(FileWay(path).hasLinks ? FileWay(path).folders : [])
    let linked = folder.entries.filter(\.value.isLinked).keys
    for name in linked { wanted.formUnion(FileWay(FilePath.join(path, name)).folders) }
    wanted.remove(path)
    var ways: [String: FolderWatch] = [:]
    for way in wanted {
      // The target may have been replaced, which a watch of the old one does not report.
      ways[way] = try? loop.watchFolder(way) { [weak self] in self?.changed(path) }
    }
    for old in folder.ways.values { old.cancel() }
    folders[path]?.ways = ways
  }

  /// Returns the state of an entry of a folder; nil if there is none, or if rules leave it out.
  private func state(of path: String, _ scope: Scope) -> FileState? {
    guard let state = FileState(path) else { return nil }
    guard case .everything = scope, case let rules = rules[path], !rules.isEmpty else {
      return state
    }
    return rules.admit(path, isFolder: state.isFolder) || WatchRules.areIn(path) ? state : nil
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
      scheduler.schedule(
        after: debounce,
        onLoop { [weak self] in
          waiting.dispose()
          self?.look()
        }))
  }

  private func look() {
    isDue = false
    let paths = dirty.sorted()
    dirty = []
    for path in paths {
      guard !subscription.isDisposed else { return }
      compare(path)
    }
    if haveRulesChanged { applyRules() }
  }

  /// Applies rules that have changed: what they admit from now on is watched and is not new.
  private func applyRules() {
    haveRulesChanged = false
    rules.forget()
    for path in folders.keys.sorted() {
      guard let folder = folders[path], case .everything = folder.scope,
        case let rules = rules[path], !rules.isEmpty
      else { continue }
      if !roots.contains(path), !rules.admit(path, isFolder: true) {
        forget(path)
        continue
      }
      for name in FilePath.names(in: path) {
        let inner = FilePath.join(path, name)
        let state = state(of: inner, .everything)
        folders[path]?.entries[name] = state
        if state?.isFolder == true, folders[inner] == nil { watchNew(inner) }
      }
    }
  }

  /// Reports a change, unless rules leave it out.
  private func tell(_ path: String, _ kind: FileChange.Kind, _ state: FileState?) {
    if rulesAbove.contains(path) {
      haveRulesChanged = true
      return
    }
    let rules = rules[path]
    if rules.isEmpty { return report(path, kind) }
    if WatchRules.areIn(path) { haveRulesChanged = true }
    if state?.isFolder == false, rules.admit(path, isFolder: false) { report(path, kind) }
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
      entries[name] = state(of: FilePath.join(path, name), folder.scope)
    }
    folders[path]?.entries = entries
    watchWays(of: path)
    for name in folder.entries.keys.sorted() where entries[name] == nil {
      removed(FilePath.join(path, name), folder.entries[name])
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
      tell(inner, before == nil ? .created : .changed, state)
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
    if watchNew(path) { reportContents(of: path) }
  }

  /// Watches a folder that has appeared.
  ///
  /// - Returns: false if it cannot be watched.
  @discardableResult
  private func watchNew(_ path: String) -> Bool {
    do {
      try open(path, .everything)
      return true
    } catch EventLoopError.cannotWatch(_, let code) where -code == ENOENT || -code == ENOTDIR {
      // The folder is missing again, which has been reported already or will be.
      return false
    } catch {
      if !subscription.isDisposed { onFailure(error) }
      return false
    }
  }

  private func reportContents(of path: String) {
    for (name, state) in folders[path]?.entries.sorted(by: { $0.key < $1.key }) ?? [] {
      guard !subscription.isDisposed else { return }
      let inner = FilePath.join(path, name)
      tell(inner, .created, state)
      reportContents(of: inner)
    }
  }

  private func removed(_ path: String, _ state: FileState?) {
    let inner = folders[path]?.entries ?? [:]
    forget(path)
    for (name, state) in inner.sorted(by: { $0.key < $1.key }) {
      removed(FilePath.join(path, name), state)
    }
    if !subscription.isDisposed { tell(path, .removed, state) }
  }

  /// Stops watching a folder.
  private func forget(_ path: String) {
    folders.removeValue(forKey: path)?.cancel()
  }

  private func close() {
    for folder in folders.values { folder.cancel() }
    folders = [:]
    dirty = []
  }
}
