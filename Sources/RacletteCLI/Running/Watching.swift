import Commands
import EventLoop
import LuaRuntime
import Reactive
import Scripting

import Platform

/// Runs of a plan, one after the other: a new one whenever files change, when the one before has really
/// ended. It is over when the command file has changed, for the plan is another one then. On the loop's
/// thread.
final class Watching: @unchecked Sendable {
  // Unchecked: it belongs to the main thread, where the loop runs.

  private let session: Session
  private let paths: [String]
  /// The name of the command file.
  private let file: String
  /// Nil if there is no plan, as the command file does not load.
  private let makeRun: (() -> CommandRun)?
  private lazy var command = Command<Void, Int32>(
    scheduler: session.host.scheduler, whenBusy: .restart
  ) { [unowned self] _ in
    Signal { [self] observer, subscription in
      guard let run = makeRun?() else { return observer.end(.completed) }
      run.onFinish = { status in
        observer.next(status)
        observer.end(.completed)
      }
      subscription.addAsync { done in run.stop(then: done) }
      run.start()
    }
  }
  private let subscription = CompoundDisposable()
  private let executing = CompoundDisposable()
  private var changes: [FileChange] = []
  private var isStopped = false
  /// Whether a run lives, or what it has started.
  private var isExecuting = false
  /// Whether the command file is to be loaded again.
  private(set) var wantsCommands = false

  /// Whether nothing more comes and nothing runs.
  var isOver: Bool {
    isStopped && !isExecuting && command.queuedExecutions.isEmpty
      && command.activeExecutionSignals.isEmpty
  }

  deinit { executing.dispose() }

  /// - Parameter makeRun: a run that has not started; nil to wait until the command file changes.
  init(
    _ session: Session, _ paths: [String], file: String, makeRun: (() -> CommandRun)?
  ) {
    self.session = session
    self.paths = paths
    self.file = file
    self.makeRun = makeRun
  }

  /// Executes once, and then at each change.
  func start() {
    command.executing.observe(
      Observer(next: { [unowned self] in isExecuting = $0 }, end: { _ in }), in: executing)
    // The command file counts whatever is watched.
    session.host.changes(at: paths + [file], debounce: .milliseconds(100)).observe(
      Observer(
        next: { [unowned self] in changed($0) },
        end: { [unowned self] termination in
          if case .error(let error) = termination { session.report.error("\(error)") }
          stop()
        }), in: subscription)
    if makeRun != nil { execute() }
  }

  /// The command file is not the one that was loaded.
  func commandFileHasChanged() { changed(FileChange(path: file, kind: .changed)) }

  func stop() {
    isStopped = true
    subscription.dispose()
    // One may wait for another to end.
    for execution in command.queuedExecutions + command.activeExecutionSignals {
      execution.cancel()
    }
  }

  private func changed(_ change: FileChange) {
    // What git does to itself is no news.
    guard !change.path.split(separator: "/").contains(".git") else { return }
    // What is watched may hold the command file.
    guard !changes.contains(where: { $0.path == change.path && $0.kind == change.kind }) else {
      return
    }
    changes.append(change)
    // All that has changed in a moment is told in one turn.
    if changes.count == 1 { session.host.scheduler.enqueue { [self] in restart() } }
  }

  private func restart() {
    guard !isStopped, let first = changes.first else { return }
    let more = changes.count > 1 ? ", and \(changes.count - 1) more" : ""
    session.report.say("\(first.path) \(first.kind.text)\(more)")
    // Where it does not load, what has changed may be what it loads.
    wantsCommands = makeRun == nil || changes.contains { CommandFile.isIt($0.path, named: file) }
    changes = []
    if wantsCommands { stop() } else { execute() }
  }

  private func execute() {
    command.execute(()).subscribe(
      next: { [self] status in
        let outcome = status == ExitStatus.success ? "done" : "failed with status \(status)"
        session.report.say("\(outcome); watching \(paths.joined(separator: ", "))")
      }, error: { _ in })
  }
}

extension FileChange.Kind {
  fileprivate var text: String {
    switch self {
    case .created: "was created"
    case .changed: "has changed"
    case .removed: "was removed"
    }
  }
}
