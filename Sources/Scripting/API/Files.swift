import EventLoop
import LuaRuntime
import Platform
import Reactive

extension Library {
  /// Functions for files and standard input.
  static let files: [APIFunction] = [
    APIFunction(
      "watch", needs: .files,
      [
        .required("paths", .either(.string, .table("string[]"))),
        .optional("options", .table("rac.WatchOptions")),
      ],
      returns: .signal(of: "rac.FileChange"),
      "Returns a signal of changes to files: `{path =, kind = \"created\"|\"changed\"|\"removed\"}`; a folder means everything in it. Options: `recursive` (true), `debounce` (0.05 seconds).",
      example: """
        local folder = rac.sh("mktemp -d"):first()
        local seen <close> = rac.watch(folder):take(1):subscribe(function(change)
          print(change.kind, change.path:match("[^/]+$"))
        end)
        io.open(folder .. "/notes.txt", "w"):close()
        rac.sleep(1)
        rac.exec{"rm", "-r", folder}:wait()
        --> created	notes.txt
        """
    ) { call in
      try call.watch()
    },
    APIFunction(
      "file_exists", needs: .files, [.required("path", .string)], returns: .signal(of: "boolean"),
      "Returns a signal of whether a path exists: now, and at each change.",
      example: """
        rac.file_exists("/etc/passwd"):take(1):subscribe(print)
        --> true
        """
    ) { call in
      let path = call.resolved(try call.path(at: 1))
      let host = call.host
      return call.newSignal(
        host.receiving(
          Signal { observer, subscription in
            FileExistence(host, path, observer, subscription).start()
          }))
    },
    APIFunction(
      "stdin", needs: .input, returns: .signal(of: "string"),
      "Returns a signal of the lines of standard input; unread lines are kept."
    ) { call in
      call.host.readsInput = true
      return call.newSignal(call.host.receiving(call.host.inputLines.signal))
    },
  ]
}

extension APICall {
  func path(at index: Int) throws -> String {
    let path = try lua.string(at: index)
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw LuaArgumentError.value(at: index, problem: "a path expected")
    }
    return path
  }

  /// Returns a path as the program reads it: a path of an included file is relative to that file.
  func resolved(_ path: String) -> String { host.scopeOfCall()?.resolved(path) ?? path }

  fileprivate func watch() throws -> LuaOutcome {
    var paths: [String] = []
    if stack.type(at: 1) == .table {
      for value in TableFields(stack, at: 1).elements {
        guard let path = value.stringValue?.exactText, !path.isEmpty, !path.utf8.contains(0)
        else {
          throw LuaArgumentError.value(at: 1, problem: "a list of paths expected")
        }
        paths.append(path)
      }
    } else {
      paths = [try path(at: 1)]
    }
    guard !paths.isEmpty else {
      throw LuaArgumentError.value(at: 1, problem: "a list of paths expected")
    }
    var isRecursive = true
    var debounce = Duration.milliseconds(50)
    if has(2) {
      let fields = TableFields(stack, at: 2)
      try refuseUnknownKeys(at: 2, of: Library.watchOptions)
      let given = try fields.bool("recursive", called: "option 'recursive'") {
        LuaArgumentError.value(at: 2, problem: $0)
      }
      isRecursive = given ?? true
      if fields.type("debounce") != .nil {
        guard let given = fields["debounce"].numberValue.flatMap(Duration.init(luaSeconds:)) else {
          throw LuaArgumentError.value(
            at: 2, problem: "option 'debounce' must be a number of seconds from 0 up")
        }
        debounce = given
      }
    }
    let host = host
    let scope = host.scopeOfCall()
    if let scope { paths = paths.map(scope.resolved) }
    let changes = host.changes(at: paths, isRecursive: isRecursive, debounce: debounce)
    return newSignal(
      host.receiving(
        changes.map { change in
          host.value { stack in
            stack.newTable(fields: 2)
            let path = scope?.relative(change.path) ?? change.path
            stack.set("path", .string(path), at: -1)
            stack.set("kind", .string(change.kind.rawValue), at: -1)
          }
        }))
  }
}

/// A change to a file.
public struct FileChange: Sendable, Equatable {
  /// The kind of change.
  public enum Kind: String, Sendable {
    case created, changed, removed
  }

  /// The path, under one of the watched paths.
  public let path: String
  /// The kind of this change.
  public let kind: Kind

  /// Makes a change that was detected by other means than watching.
  public init(path: String, kind: Kind) {
    (self.path, self.kind) = (path, kind)
  }
}

extension ScriptHost {
  /// Returns the changes to files at some paths; a folder stands for its contents.
  ///
  /// - Parameters:
  ///   - isRecursive: true to include nested folders.
  ///   - debounce: the quiet time before changes are reported.
  public func changes(
    at paths: [String], isRecursive: Bool = true, debounce: Duration
  ) -> Signal<FileChange> {
    changes(isRecursive: isRecursive, debounce: debounce) { watching in
      for path in paths { try watching.follow(path) }
    }
  }

  /// Returns the changes that a watch reports.
  ///
  /// - Parameter follow: tells the watch what to follow.
  func changes(
    isRecursive: Bool = true, debounce: Duration,
    _ follow: @escaping @Sendable (FileWatching) throws -> Void
  ) -> Signal<FileChange> {
    Signal { [loop, scheduler] observer, subscription in
      let watching = FileWatching(
        loop, scheduler, isRecursive: isRecursive, debounce: debounce, in: subscription
      ) { path, kind in
        observer.next(FileChange(path: path, kind: kind))
      }
      let fail = { (error: any Error) in observer.end(.error(Failure(.input, "\(error)"))) }
      watching.onFailure = fail
      do { try follow(watching) } catch { fail(error) }
    }
  }
}

/// Tracks for one subscription whether a path exists, with a watch on each existing folder above it and
/// on the way of symbolic links: a watch follows a folder that is renamed, and not its path. Confined
/// to the loop's thread.
private final class FileExistence {
  private struct Watched {
    let folder: FileIdentity
    let watch: FolderWatch
  }

  private let host: ScriptHost
  private let path: String
  private let observer: Observer<LuaValue>
  private let subscription: CompoundDisposable
  private var watched: [String: Watched] = [:]
  private var last: Bool?

  init(
    _ host: ScriptHost, _ path: String, _ observer: Observer<LuaValue>,
    _ subscription: CompoundDisposable
  ) {
    self.host = host
    self.path = FilePath.trimmed(path)
    self.observer = observer
    self.subscription = subscription
  }

  func start() {
    subscription.add(onLoop { [self] in watched.values.forEach { $0.watch.cancel() } })
    changed()
  }

  private func changed() {
    guard !subscription.isDisposed else { return }
    do {
      // Until nothing has changed before its watch began.
      while try watchFolders() {}
    } catch {
      return observer.end(.error(Failure(.input, "\(error)")))
    }
    let exists = FilePath.exists(path)
    guard exists != last, !subscription.isDisposed else { return }
    last = exists
    observer.next(.bool(exists))
  }

  /// Watches the folders on the way to the path that exist, and those alone.
  ///
  /// - Returns: true if there was one that was not watched.
  /// - Throws: if the nearest one cannot be watched; one further above may be closed to this user.
  private func watchFolders() throws -> Bool {
    let former = watched
    watched = [:]
    var hasNew = false
    for folder in FileWay(path).folders.reversed() where watched[folder] == nil {
      if let known = former[folder], known.folder == FileIdentity(folder) {
        watched[folder] = known
      } else if let new = try watch(folder) {
        watched[folder] = new
        hasNew = true
      }
    }
    for (folder, old) in former where watched[folder]?.watch !== old.watch { old.watch.cancel() }
    return hasNew
  }

  /// Nil if there is no such folder, or if it cannot be watched and need not be.
  private func watch(_ folder: String) throws -> Watched? {
    guard let identity = FileIdentity(folder) else { return nil }
    do {
      let watch = try host.loop.watchFolder(folder) { [self] in changed() }
      return Watched(folder: identity, watch: watch)
    } catch {
      if watched.isEmpty, FileIdentity(folder) != nil { throw error }
      return nil
    }
  }
}
