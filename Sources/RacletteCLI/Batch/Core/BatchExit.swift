/// A command of a batch has called `os.exit`, which would end what runs beside it.
struct BatchExit: Error, CustomStringConvertible {
  var description: String {
    "os.exit would end the whole batch; a command ends by returning or by an error"
  }
}
