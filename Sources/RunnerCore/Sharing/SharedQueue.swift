import Scripting

/// A queue of executions that several machines share, as a panel feeds and shows it: a journal on a
/// server. All calls are on the loop's thread.
package protocol SharedQueue: AnyObject {
  /// The queue, as messages name it.
  var name: String { get }
  /// Called with each change, in order. The first are the executions that are there already.
  var onChange: (SharedChange) -> Void { get set }
  /// Called once if the queue cannot be read at all.
  var onFailure: (any Error) -> Void { get set }

  /// Begins to read.
  ///
  /// - Parameter keep: how many executions that have ended, and how many that wait, are told at most.
  func start(keep: Int)

  /// Hands a call over, and answers once with its execution, or with the reason why it is refused;
  /// `SharedQueueError` if that is not the call.
  func submit(
    _ call: SharedCall, _ answer: @escaping (Result<SharedExecution, any Error>) -> Void)

  /// Cancels an execution, wherever it runs. Changes tell of the effect.
  func cancel(_ execution: Int)

  /// Stops reading. Executions go on.
  func close()
}

/// The reason why a queue takes nothing.
package struct SharedQueueError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// A call of a command that other machines execute.
package struct SharedCall {
  /// The session whose command file goes along.
  package let session: Session
  /// The commands by which the call is checked.
  package let host: ScriptHost
  /// The path of the command file in the current folder.
  package let file: String
  package let command: String
  /// JSON; nil for the input of a call without arguments.
  package let input: String?
  /// True if the questions of the command and of what it needs have been answered with yes.
  package let isConfirmed: Bool

  package init(
    session: Session, host: ScriptHost, file: String, command: String, input: String?,
    isConfirmed: Bool
  ) {
    self.session = session
    self.host = host
    self.file = file
    self.command = command
    self.input = input
    self.isConfirmed = isConfirmed
  }
}

/// An execution in a shared queue. Times are seconds since 1970 by the clock of this machine.
package struct SharedExecution {
  package enum State: String {
    case queued, running, cancelling, completed, failed, cancelled

    package var isEnded: Bool {
      switch self {
      case .queued, .running, .cancelling: false
      case .completed, .failed, .cancelled: true
      }
    }
  }

  package let id: Int
  package let batch: Int
  package let command: String
  /// JSON; nil for none.
  package var input: String?
  package let created: Double
  package var state: State
  /// The name of the worker that executes it, or has executed it.
  package var worker: String?
  package var attempt = 1
  package var started: Double?
  package var ended: Double?
  package var isUpToDate = false
  /// The error with which it ended.
  package var failure: Failure?

  package init(
    id: Int, batch: Int, command: String, input: String?, created: Double, state: State
  ) {
    self.id = id
    self.batch = batch
    self.command = command
    self.input = input
    self.created = created
    self.state = state
  }
}

/// A change in a shared queue.
package enum SharedChange {
  /// What was there at the start has been told.
  case ready
  /// The connection is lost, with the reason, or back.
  case connection(problem: String?)
  /// Something that people at the terminal should know.
  case notice(String)
  /// The workers, as a JSON list of objects with `name`, `jobs`, `running`, `tags` and `draining`.
  case workers(JSONValue)
  /// An execution is new, or its state is another one.
  case execution(SharedExecution)
  /// An attempt has failed, and another one follows after a time in seconds.
  case retry(SharedExecution, delay: Double, Failure?)
  /// Output of an execution.
  case output(Int, SharedOutput)
}

/// A piece of what an execution has sent.
package enum SharedOutput {
  /// A text without the newline behind it.
  case text([UInt8])
  /// A value that is no text, as JSON.
  case json([UInt8])
  /// A piece of a stream of bytes.
  case chunk([UInt8])
  /// A line of standard error, without its newline.
  case errorLine([UInt8])
  /// Not output: a step begins, with the text of a `WorkStep`.
  case step([UInt8])
}
