import Platform
import Reactive
import RunnerCore
import Scripting

extension Panel {
  private static let debounce = Duration.milliseconds(100)

  /// Serves until a signal ends the program or `isOver` returns true, and loads the command file again
  /// whenever it or a file that it reads has changed.
  func run(until isOver: () -> Bool = { false }) {
    while !session.isEnding {
      let watching = CompoundDisposable()
      let hasChanged = watchFiles(in: watching)
      // It may have changed after it was read and before it was watched.
      if session.changedCommandFile != nil { hasChanged.value = true }
      session.wait { hasChanged.value == true || isReloadWanted || session.isEnding || isOver() }
      watching.dispose()
      if session.isEnding || isOver() { return }
      isReloadWanted = false
      let loading = CompoundDisposable()
      let hasChangedAgain = watchFiles(in: loading)
      do {
        try reload { [session] in hasChangedAgain.value == true || session.isEnding }
      } catch { session.report.error("\(error)") }
      loading.dispose()
      if session.changedCommandFile == nil { onReload() }
    }
  }

  /// Returns a flag that is set once the command file, or a file that it reads, changes.
  private func watchFiles(in subscription: CompoundDisposable) -> Once<Bool> {
    let hasChanged = Once<Bool>()
    let paths = session.commandFiles.map(\.path) + session.moduleFiles
    session.host.changes(at: paths, debounce: Self.debounce).observe(
      Observer(
        next: { change in
          if !change.path.split(separator: "/").contains(".git") { hasChanged.value = true }
        },
        end: onLoop { [session] termination in
          if case .error(let error) = termination { session.report.error("\(error)") }
        }), in: subscription)
    return hasChanged
  }
}
