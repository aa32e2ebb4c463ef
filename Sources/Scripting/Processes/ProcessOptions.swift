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

  /// A text that a shell or another interpreter executes.
  enum Text: Sendable {
    case line([UInt8])
    case script(InterpreterScript)
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
  /// What the shell or an interpreter executes; nil for a program.
  var text: Text?
  /// The words behind the program's own: for a line or a script, those that it is called with.
  var arguments: [[UInt8]] = []
  var input = Input.none
  var output = Output.lines
  var errors = Errors.inherit
  var timeout: Duration?
  var grace = Duration.seconds(5)
  var successCodes: [Int32] = [0]
  /// False for a process that is no work of its own, and waits for no job.
  var takesJob = true
  /// False for the program of a probe, whose start is not reported: it is asked again and again.
  var isReported = true
  /// True if it outlives the runner, which then only starts it.
  var isDetached = false

  /// The program and its arguments, with a word in place of what is still to be computed.
  var words: [String] { (argv + arguments).map { String(exactly: LazyText.shown($0)) } }

  /// The options of a program.
  init(argv: [[UInt8]]) { self.argv = argv }

  /// The options of a text that a function gives, whose shell and arguments are known when it starts.
  ///
  /// - Parameter place: the `file:line` of the call.
  init(textOfFunction text: [UInt8], at place: String?) {
    if var script = InterpreterScript(text) {
      script.place = place
      self.init(argv: script.interpreter)
      self.text = .script(script)
    } else {
      self.init(argv: Shell.ofFunctions.words + [text])
      self.text = .line(text)
    }
    isOfFunction = true
  }

  /// True for a text that a function gives.
  private(set) var isOfFunction = false

  /// Returns the options in a working context: a text that a function gives is executed as the texts of
  /// its command are.
  func resolved(in place: ProcessContext?) -> ProcessOptions {
    guard isOfFunction, let text, let place, let name = place.name else { return self }
    var options = self
    switch text {
    case .script: options.arguments = place.rest ?? []
    case .line(let line):
      if let shell = place.shell {
        options.argv = shell.words + [line]
        options.arguments = shell.arguments(name: name, place.rest ?? [])
      } else if let rest = place.rest {
        options.arguments = Shell.ofFunctions.arguments(name: name, rest)
      }
    }
    return options
  }
}

// MARK: Values of `rac.lazy`

extension ProcessOptions {
  /// True if values of `rac.lazy` in it are still to be computed.
  var isMarked: Bool {
    texts.contains(where: LazyText.isMarked)
      || variables.contains { $0.value.map(LazyText.isMarked) == true }
  }

  /// The texts in which such values may be.
  var texts: [[UInt8]] {
    switch text {
    case .line(let line)?: argv + [line]
    case .script(let script)?: argv + [script.text]
    case nil: argv
    }
  }

  /// Returns the options with computed texts. A line that turns out to begin with `#!` is a script.
  ///
  /// - Parameter place: the working context.
  func computed(_ texts: [[UInt8]], in place: ProcessContext?) -> ProcessOptions {
    var options = self
    options.argv = Array(texts.prefix(argv.count))
    guard let text, let computed = texts.last else { return options }
    guard !isDetached, var script = InterpreterScript(computed), !script.interpreter.isEmpty else {
      // A script whose program is an empty text fails as that program does.
      if case .line = text { options.text = .line(computed) } else { options.text = nil }
      return options
    }
    switch text {
    case .script(let known): script.place = known.place
    case .line: options.arguments = place?.rest ?? []
    }
    options.argv = script.interpreter
    options.text = .script(script)
    return options
  }
}
