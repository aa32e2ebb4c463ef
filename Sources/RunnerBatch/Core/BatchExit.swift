import RunnerCore

/// The error when a command of a batch has called `os.exit`, which would end concurrent executions.
struct BatchExit: Error, CustomStringConvertible {
  var description: String {
    "os.exit would end the whole batch; a command ends by returning or by an error"
  }
}
