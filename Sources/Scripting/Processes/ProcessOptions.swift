import LuaRuntime
import Platform
import Reactive

/// The program and options of a process, as `rac.exec` takes them.
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

  /// The function that the script has called, as scripts write it.
  var function = "rac.exec"
  var argv: [[UInt8]]
  var directory: [UInt8]?
  /// The folder that `directory` is relative to outside commands; nil for that of the program.
  var base: [UInt8]?
  /// Variables to set, or to remove if the value is nil, on top of those of the command or the
  /// script.
  var variables: [EnvironmentChange] = []
  /// True for a line that has the words of its command's rest parameter as `"$@"`.
  var takesArguments = false
  var input = Input.none
  var output = Output.lines
  var errors = Errors.inherit
  var timeout: Duration?
  var grace = Duration.seconds(5)
  var successCodes: [Int32] = [0]
  /// True if it outlives the runner, which then only starts it.
  var isDetached = false

  /// The program and its arguments, with a word in place of what is still to be computed.
  var words: [String] { argv.map { String(exactly: LazyText.shown($0)) } }

  /// True if values of `rac.lazy` in it are still to be computed.
  var isMarked: Bool {
    argv.contains(where: LazyText.isMarked)
      || variables.contains { $0.value.map(LazyText.isMarked) == true }
  }
}
