import LuaRuntime
import Platform
import Reactive

/// What to run and how, as `rac.exec` takes it.
struct ProcessOptions: Sendable {
  enum Output: String, CaseIterable, Sendable {
    case lines, bytes
  }

  enum Errors: String, CaseIterable, Sendable {
    case inherit, merge, capture
  }

  enum Input: Sendable {
    case none
    case bytes([UInt8])
    case signal(Signal<LuaValue>)
  }

  /// The function that the script has called, as it writes it.
  var function = "rac.exec"
  var argv: [[UInt8]]
  var directory: [UInt8]?
  /// Variables to set, or with nil to remove, over those of the command or the script.
  var variables: [EnvironmentChange] = []
  var input = Input.none
  var output = Output.lines
  var errors = Errors.inherit
  var timeout: Duration?
  var grace = Duration.seconds(5)
  var successCodes: [Int32] = [0]
  /// Whether it is to outlive the runner, which then only starts it.
  var isDetached = false

  var words: [String] { argv.map { String(exactly: $0) } }
}
