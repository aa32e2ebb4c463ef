import LuaRuntime
import RunnerCore
import Scripting

extension Repl {
  /// `:debug`: shows the frames of the last error and the variables of one of them, or evaluates an
  /// expression with these variables.
  func debug(_ text: String) {
    guard let failure = workspace.errors.last?.failure else {
      return complain("there has been no error")
    }
    let frames = workspace.frames
    guard !frames.isEmpty else {
      return complain("the last error was not raised in Lua code, so it has no frames")
    }
    if let number = Int(text) {
      guard frames.indices.contains(number - 1) else {
        return complain("there is no frame \(number); the last error has \(frames.count)")
      }
      workspace.selectedFrame = number - 1
    } else if !text.isEmpty {
      return evaluate(text, in: frames[workspace.selectedFrame])
    }
    printer.show(self.text(ofRaised: failure) ?? failure.text.visible)
    for (index, frame) in frames.enumerated() {
      let mark = index == workspace.selectedFrame ? ">" : " "
      printer.show("\(mark) \(index + 1)  \(place(of: frame)): in \(name(of: frame))")
    }
    showVariables(of: frames[workspace.selectedFrame])
  }

  private func place(of frame: LuaKeptFailure.Frame) -> String {
    "\(frame.source):\(frame.line)".visibleInLine
  }

  private func name(of frame: LuaKeptFailure.Frame) -> String {
    if frame.isChunk { return frame.source.hasSuffix(".lua") ? "the file" : "the line" }
    // A tail call has none, and a method only its own.
    let name = frame.function.referenceValue.flatMap {
      KnownNames(workspace.environment, workspace.host.interpreter).name(of: $0.identity)
    }
    return (name ?? frame.name).map { "function '\($0)'" } ?? "a function"
  }

  private func showVariables(of frame: LuaKeptFailure.Frame) {
    if let lines = FunctionText.lines(ofChunk: frame.source, log),
      lines.indices.contains(frame.line - 1)
    {
      printer.show(printer.values.faint("\(frame.line): \(lines[frame.line - 1].trimmed)".visible))
    }
    let values = values
    for (index, variable) in frame.variables.enumerated() {
      let remark = index < frame.localCount ? "" : printer.values.faint("  -- of an outer function")
      printer.show("\(variable.name) = \(values.line(of: variable.value))\(remark)")
    }
  }

  /// Evaluates with the variables of a frame, and behind them what its function saw as globals.
  private func evaluate(_ text: String, in frame: LuaKeptFailure.Frame) {
    guard let function = function(of: Array(text.utf8)),
      let variables = workspace.environment.variables(of: frame)
    else { return }
    _ = workspace.host.interpreter.withStack { stack in
      stack.push(function)
      stack.push(variables)
      stack.setEnvironment(at: -2)
    }
    evaluateAndShow(function)
  }
}
