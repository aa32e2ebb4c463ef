import Digests
import Journal
import Scripting

/// Asks the worker, and through it the server, who executes the needed calls that are executed once
/// for all workers. On the loop's thread.
final class NeedDesk: SharedNeeds {
  private let log: ExecutorLog
  /// Those who wait for an answer, or for the end of an execution of this process.
  private var waiting: [String: [(SharedNeed) -> Void]] = [:]
  /// The keys of the calls that this process executes.
  private var executing: Set<String> = []

  init(_ log: ExecutorLog) { self.log = log }

  func ask(_ call: NeededCall, _ decide: @escaping (SharedNeed) -> Void) {
    let key = call.key
    let isFirst = waiting[key] == nil && !executing.contains(key)
    waiting[key, default: []].append(decide)
    if isFirst { log.ask(key) }
  }

  func end(_ call: NeededCall, _ failure: Failure?) {
    let key = call.key
    executing.remove(key)
    if failure?.kind == .cancelled, waiting[key] != nil { return decide(key, .execute) }
    log.end(key, failure)
    decide(key, .ended(failure))
  }

  /// Passes on an answer of the worker.
  func decide(_ key: String, _ answer: SharedNeed) {
    guard var decisions = waiting.removeValue(forKey: key) else { return }
    guard case .execute = answer else {
      for decide in decisions { decide(answer) }
      return
    }
    executing.insert(key)
    let first = decisions.removeFirst()
    if !decisions.isEmpty { waiting[key] = decisions }
    first(.execute)
  }
}

extension NeededCall {
  /// By which all workers know it. The input may hold secrets.
  fileprivate var key: String { EntryKey(command, input).bytes.hexadecimal }
}
