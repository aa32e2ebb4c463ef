import Commands
import Digests
import LuaRuntime
import Platform
import Reactive
import Scripting

/// The loading of scripts.
extension Session {
  /// Loads a command file in a fresh interpreter, which replaces this one if the file loads.
  ///
  /// - Parameter prepare: called with the fresh interpreter if the file loads, before this one is closed.
  /// - Returns: true if the file loads; a failure is reported, unless the end of the run is its cause.
  package func loadAnew(
    _ path: String, named name: String, _ prepare: (ScriptHost) -> Void
  ) throws -> Bool {
    var isLoaded = false
    let isQuiet = waitForQuiet()
    let state = CommandFileState(path)
    host.environment.undoChanges()
    try replaceHost { fresh in
      defer { note(path, state, in: fresh, afterQuiet: isQuiet) }
      if let failure = execute(
        .commandFile(path, name: name), in: fresh, unless: { isEnding })
      {
        if !isEnding { report.error(failure.message) }
      } else if !isEnding {
        isLoaded = true
        prepare(fresh)
      }
      return isLoaded
    }
    return isLoaded
  }

  /// The outcome of loading a command file beside another one.
  package enum LoadOutcome {
    case loaded
    /// It does not load, for a reason.
    case failed(Failure)
    case abandoned
  }

  /// Loads a command file in a fresh interpreter, which replaces this one if the file loads; the work
  /// of this one goes on until `retire`. Code that does not pause is stopped as where a file is only
  /// looked at. Outside the running loop.
  ///
  /// - Parameters:
  ///   - limit: the time in which the file has to load.
  ///   - isAbandoned: asked while the file waits, unless its load is likely to change it; true ends the
  ///     load, as the end of the run always does.
  ///   - prepare: called with the fresh interpreter before the file is executed.
  package func loadBeside(
    _ path: String, named name: String, within limit: Duration,
    unless isAbandoned: @escaping () -> Bool, _ prepare: (ScriptHost) -> Void
  ) throws -> LoadOutcome {
    let isQuiet = waitForQuiet()
    let fresh = try makeHost()
    prepare(fresh)
    let state = CommandFileState(path)
    fresh.defersConditions = true
    var failure: Failure?
    var isLeft = false
    var isLate = false
    let timer = loop.timer(after: limit) { isLate = true }
    defer { timer.cancel() }
    fresh.withTimeLimit(conditionTimeout ?? CommandFileSession.lookingTime) {
      failure = execute(.commandFile(path, name: name), in: fresh) {
        isLeft = isEnding || !selfChanges.areLikely && isAbandoned()
        return isLeft || isLate
      }
    }
    if failure != nil, isLate {
      failure = Failure(.timeout, "\(name): it did not load within \(limit.text)")
    }
    fresh.defersConditions = false
    // The signal that ends the run may have ended the file's code first.
    if failure != nil, isEnding { isLeft = true }
    // An abandoned file has yet to be loaded.
    if isLeft {
      selfChanges.abandoned()
    } else {
      note(path, state, in: fresh, afterQuiet: isQuiet)
    }
    if let failure {
      retire(fresh)
      return isLeft ? .abandoned : .failed(failure)
    }
    leaving.append(host)
    host = fresh
    output.use(fresh)
    return .loaded
  }

  /// Cancels what is left of the work of a replaced interpreter, and closes it.
  package func retire(_ old: ScriptHost) {
    leaving.removeAll { $0 === old }
    old.cancelAll()
    old.close()
    retired.append(old)
  }

  /// Runs the top level of a script to its end.
  ///
  /// - Returns: the failure of the script.
  package func execute(_ source: ScriptSource) -> Failure? { execute(source, in: host) }

  private func execute(
    _ source: ScriptSource, in host: ScriptHost, unless isAbandoned: () -> Bool = { false }
  ) -> Failure? {
    host.runningSource = source.name
    defer { host.runningSource = nil }
    let execution: Execution<LuaValue, LuaValue>
    do { execution = try host.start(source) } catch {
      var failure = host.failure(of: error)
      failure.isLoadFailure = true
      return failure
    }
    var end: Termination?
    execution.subscribe(
      error: onLoop { end = .error($0) }, completed: onLoop { end = .completed })
    wait { end != nil || isAbandoned() }
    switch end {
    case .completed: return nil
    case .error(let error): return host.failure(ofScript: error)
    case nil: return .stuck("the script")
    }
  }

  /// Loads a command file without subscribing to the conditions of its commands. A condition is
  /// subscribed when its value is requested.
  ///
  /// - Throws: `CommandFileError` if it does not load.
  package func load(_ path: String, named name: String) throws {
    host.defersConditions = true
    let state = CommandFileState(path)
    defer {
      host.defersConditions = false
      note(path, state, in: host)
    }
    if let failure = execute(.commandFile(path, name: name)) {
      throw CommandFileError(message: failure.message)
    }
  }

  /// Loads a command file as `load` does, for a look at its commands. It is no execution, so that the
  /// numbers of later executions are the same as without a look.
  ///
  /// - Returns: the failure of a file that does not load, or waits for longer than the limit.
  func load(_ path: String, named name: String, within limit: Duration) -> Failure? {
    host.defersConditions = true
    defer { host.defersConditions = false }
    var isOver = false
    let timer = loop.timer(after: limit) { isOver = true }
    defer { timer.cancel() }
    let source = ScriptSource.commandFile(path, name: name)
    host.runningSource = source.name
    defer { host.runningSource = nil }
    let work: Signal<LuaValue>
    do { work = try host.work(of: source) } catch {
      return host.failure(of: error)
    }
    var end: Termination?
    let subscription = work.subscribe(
      error: onLoop { end = .error($0) }, completed: onLoop { end = .completed })
    defer { subscription.dispose() }
    wait { end != nil || isOver }
    switch end {
    case .completed: return nil
    case .error(let error): return host.failure(ofScript: error)
    case nil: return Failure(.timeout, "\(name) waits for longer than \(limit)")
    }
  }

  /// Drops what scripts print and log, and the failures that nothing handles.
  func mute() {
    host.remove(opening.observer)
    host.add(SilentObserver())
    // If there is no memory for the redirection, printing is impossible.
    try? host.interpreter.redirectOutput(byLine: false) { _, _ in }
  }

  private func note(
    _ commandFile: String, _ state: CommandFileState?, in host: ScriptHost,
    afterQuiet isQuiet: Bool = false
  ) {
    let others = host.commandFiles.filter { $0.path != commandFile }
    commandFiles = [(commandFile, state)] + others.map { ($0.path, $0.state) }
    // What is gone may come back.
    let found = Set(host.moduleFiles)
    let gone = moduleFiles.filter { !found.contains($0) && access($0, F_OK) != 0 }
    requiredModules = host.modules + gone.map { ($0, nil) }
    listings = host.listings
    for path in selfChanges.loaded(changing: changedCommandFiles, afterQuiet: isQuiet).sorted() {
      report.log(
        .warn, "\(path) changes whenever it is loaded, so such changes no longer reload it")
    }
    let taken = selfChanges.files
    guard !taken.isEmpty else { return }
    commandFiles = commandFiles.map {
      taken.contains($0.path) ? ($0.path, CommandFileState($0.path)) : $0
    }
    requiredModules = modules.map {
      taken.contains($0.path) ? ($0.path, CommandFileState($0.path)) : $0
    }
    for path in taken { contentsAfterLoad[path] = try? SHA256.digest(ofFile: path) }
    for index in listings.indices where taken.contains(listings[index].name) {
      listings[index].refresh()
    }
  }

  /// Waits until nobody changes the files any more, if their loads are likely to change them.
  ///
  /// - Returns: true if it has waited for that.
  private func waitForQuiet() -> Bool {
    guard selfChanges.areLikely else { return false }
    let states = { [self] in (commandFiles + modules).map { CommandFileState($0.path) } }
    for _ in 0..<SelfChanges.mostPauses where !isEnding {
      let before = states()
      var isOver = false
      let timer = loop.timer(after: SelfChanges.pause) { isOver = true }
      wait { isOver || isEnding }
      timer.cancel()
      if isOver, states() == before { return true }
    }
    return false
  }

  /// A file of commands, or a module, that has changed since it was read, or the patterns of `rac.glob` that
  /// find other files than when the command file was loaded; nil if nothing has changed.
  package var changedCommandFile: String? {
    (commandFiles + modules).first(where: hasChanged)?.path ?? changedListings.first
  }

  /// The lists of patterns by which the command file has found files while it was loaded, relative to the
  /// current folder; without those whose folders cannot be read, nor watched.
  package var listedPatterns: [[String]] {
    listings.filter { (try? $0.result.get()) != nil }.map { listing in
      listing.patterns.map { WatchPatterns.pattern($0, in: listing.folder) }
    }
  }

  /// The patterns that find other files now.
  package var changedListings: [String] {
    listings.indices.filter { listings[$0].hasChanged() }.map { listings[$0].name }
  }

  /// False for the change of a file by a load that changes it each time, in this process or in another.
  package func isNews(_ path: String) -> Bool {
    guard let known = contentsAfterLoad[path] else { return true }
    return known != (try? SHA256.digest(ofFile: path))
  }

  /// True for a file that its loads change, so that a change while it is loaded means nothing.
  package func isChangedByLoads(_ path: String) -> Bool { selfChanges.files.contains(path) }

  private var changedCommandFiles: Set<String> {
    Set((commandFiles + modules).filter(hasChanged).map(\.path) + changedListings)
  }

  private func hasChanged(_ file: (path: String, state: CommandFileState?)) -> Bool {
    CommandFileState(file.path) != file.state && isNews(file.path)
  }
}

extension GlobListing {
  /// The patterns, for messages.
  fileprivate var name: String { patterns.joined(separator: ", ") }
}

/// Drops what a host would otherwise write to standard error itself.
private final class SilentObserver: HostObserver {
  func hostWroteErrors(_ bytes: UnsafeRawBufferPointer, of execution: Int?) -> Bool { true }
  func hostHasSecrets(_ host: ScriptHost) -> Bool { true }
  func hostLeftUnhandled(_ failure: Failure) -> Bool { true }
}
