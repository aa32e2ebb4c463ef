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
      let hasChanged = watchFiles(in: watching) { [session] in session.isNews($0) }
      // It may have changed after it was read and before it was watched.
      if session.changedCommandFile != nil { hasChanged.value = true }
      session.wait { hasChanged.value == true || isReloadWanted || session.isEnding || isOver() }
      watching.dispose()
      if session.isEnding || isOver() { return }
      isReloadWanted = false
      let loading = CompoundDisposable()
      let hasChangedAgain = watchFiles(in: loading) { [session] in !session.isChangedByLoads($0) }
      do {
        try reload { [session] in hasChangedAgain.value == true || session.isEnding }
      } catch { session.report.error("\(error)") }
      loading.dispose()
      if session.changedCommandFile == nil { onReload() }
    }
  }

  /// Returns a flag that is set once the command file, or a file that it reads, changes, or it would find
  /// other files by patterns.
  ///
  /// - Parameter counts: false for a file whose change means nothing.
  private func watchFiles(
    in subscription: CompoundDisposable, where counts: @escaping (String) -> Bool
  ) -> Once<Bool> {
    let hasChanged = Once<Bool>()
    let follow = { [session] (changes: Signal<FileChange>, isMeant: @escaping (String) -> Bool) in
      changes.observe(
        Observer(
          next: onLoop { change in
            guard !change.path.split(separator: "/").contains(".git"), isMeant(change.path) else {
              return
            }
            hasChanged.value = true
          },
          end: onLoop { termination in
            if case .error(let error) = termination { session.report.error("\(error)") }
          }), in: subscription.makeChild())
    }
    let paths = session.commandFiles.map(\.path) + session.moduleFiles
    follow(session.host.changes(at: paths, debounce: Self.debounce), counts)
    let listed = session.listedPatterns
    if !listed.isEmpty,
      let changes = try? session.host.changes(
        matching: listed, besides: [], debounce: Self.debounce)
    {
      follow(changes) { [session] _ in !session.changedListings.isEmpty }
    }
    return hasChanged
  }
}
