import LuaRuntime
import Reactive

/// The question whether a process may write its standard error into the pipe of its standard output,
/// which keeps their order. It takes the way of the values before there are any.
///
/// Joined, both are values of the execution. So everybody who receives these has to write both to one
/// place: whoever looks at them one by one, as operators with functions of Lua, subscribers and the
/// record of an up-to-date command do, refuses.
public final class JoinedStreams: Batch<LuaValue>, @unchecked Sendable {
  // Unchecked: confined to the loop's thread.

  private var isAccepted = false
  private var isRefused = false

  private init() { super.init(count: 0) }

  /// Asks the receivers of a process's output.
  static func areWanted(by observer: Observer<LuaValue>) -> Bool {
    guard let send = observer.batch else { return false }
    let question = JoinedStreams()
    send(question)
    return question.isAccepted && !question.isRefused
  }

  /// Answers for one receiver: true if it writes both streams to one place.
  public func answer(_ isWanted: Bool) {
    if isWanted { isAccepted = true } else { isRefused = true }
  }

  public override func forEach(
    from start: Int, while condition: () -> Bool, _ body: (LuaValue) -> Void
  ) { isRefused = true }
}
