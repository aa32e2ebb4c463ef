import Commands
import LuaRuntime
import Reactive

/// One run of commands and of all that they need, in which a needed command is executed once.
///
/// On the loop's thread.
public final class NeedsRun: @unchecked Sendable {
  // Unchecked: scripts run on the loop's thread only.

  private struct Entry {
    let script: ScriptExecution
    /// How many executions wait for it or have waited and still run.
    var users = 0
  }

  /// Whether needed commands are left out.
  public let isSkipping: Bool
  /// Told of each execution of a needed command before its work starts.
  public var onExecution: ((ScriptCommand, Execution<LuaValue, LuaValue>) -> Void)?

  private var entries: [String: Entry] = [:]

  /// A run in which nothing has been executed yet.
  public init(isSkipping: Bool = false) {
    self.isSkipping = isSkipping
  }

  /// The one execution of a needed command, for a further user.
  fileprivate func execution(of command: ScriptCommand) throws -> ScriptExecution {
    var entry: Entry
    if let known = entries[command.name] {
      entry = known
    } else {
      entry = Entry(script: command.start(try command.input(from: []), in: self))
      entry.script.isObserved = true
      onExecution?(command, entry.script.execution)
    }
    entry.users += 1
    entries[command.name] = entry
    return entry.script
  }

  /// One user is over; the last one takes a needed command that still runs with it.
  fileprivate func release(_ command: ScriptCommand) {
    guard let users = entries[command.name]?.users else { return }
    entries[command.name]?.users = users - 1
    if users == 1 { entries[command.name]?.script.execution.cancel() }
  }
}

extension ScriptCommand {
  /// The names of the commands that are executed before this one.
  public var needs: [String] { description.needs }

  /// Executes what the command needs, side by side, and calls `proceed` when all of it has completed,
  /// or with what failed. A further attempt of the same execution does not need it again.
  func awaitNeeds(
    in subscription: CompoundDisposable, _ proceed: @escaping @Sendable (Failure?) -> Void
  ) {
    guard !needs.isEmpty else { return proceed(nil) }
    let due = command.activeExecutionSignals.lazy.compactMap { self.host.executions[$0.id] }
      .first { !$0.hasBegun }
    due?.hasBegun = true
    let run = due?.run
    due?.run = nil
    guard let run, !run.isSkipping else { return proceed(nil) }
    let needed: [ScriptCommand]
    do { needed = try host.needed(by: self) } catch {
      return proceed(host.failure(of: error))
    }
    let remaining = Remaining(needed.count)
    for command in needed {
      guard !subscription.isDisposed else { return }
      let waiting = subscription.makeChild()
      do {
        let script = try run.execution(of: command)
        subscription.add { run.release(command) }
        script.execution.observe(
          Observer(
            next: { _ in },
            end: { termination in
              waiting.dispose()
              if case .error(let error) = termination {
                guard !remaining.hasFailed else { return }
                remaining.hasFailed = true
                proceed(self.host.failure(of: error, neededAs: command))
              } else {
                remaining.count -= 1
                if remaining.count == 0 { proceed(nil) }
              }
            }), in: waiting)
      } catch {
        if remaining.hasFailed { return }
        remaining.hasFailed = true
        proceed(host.failure(of: error, neededAs: command))
      }
    }
  }

  /// How many needs have not completed; on the loop's thread.
  private final class Remaining: @unchecked Sendable {
    var count: Int
    var hasFailed = false

    init(_ count: Int) {
      self.count = count
    }
  }
}

extension ScriptHost {
  /// The commands that a command needs itself, after a look at all that they need in turn.
  ///
  /// - Throws: `Failure` of kind `dependency` for a name that is not defined, or a circle.
  public func needed(by command: ScriptCommand) throws -> [ScriptCommand] {
    var finished: Set<String> = []
    var path: [String] = []
    func visit(_ visited: ScriptCommand) throws {
      if let start = path.firstIndex(of: visited.name) {
        let circle = (path[start...] + [visited.name]).joined(separator: " -> ")
        throw Failure(
          .dependency, "the needs of '\(command.name)' go round in a circle: \(circle)")
      }
      guard !finished.contains(visited.name) else { return }
      path.append(visited.name)
      for needed in try find(needsOf: visited) { try visit(needed) }
      path.removeLast()
      finished.insert(visited.name)
    }
    try visit(command)
    return try find(needsOf: command)
  }

  private func find(needsOf command: ScriptCommand) throws -> [ScriptCommand] {
    var found: [ScriptCommand] = []
    for name in command.needs {
      guard let needed = self.command(named: name) else {
        throw Failure(.dependency, "'\(command.name)' needs '\(name)', which is not defined")
      }
      if !found.contains(where: { $0 === needed }) { found.append(needed) }
    }
    return found
  }

  fileprivate func failure(of error: any Error, neededAs command: ScriptCommand) -> Failure {
    let cause = failure(of: error)
    if cause.kind == .cancelled { return cause }
    var failure = cause.kind == .dependency ? cause : Failure(.dependency, "")
    failure.value = nil
    failure.message = "'\(command.name)' failed: \(cause.message)"
    failure.command = command.name
    failure.traceback = cause.traceback
    return failure
  }
}
