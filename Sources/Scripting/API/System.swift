import EventLoop
import LuaRuntime
import Reactive

extension Library {
  /// Functions that start processes.
  static let system: [APIFunction] = [
    APIFunction(
      "exec", needs: .processes,
      [.required("command", .table("rac.ExecOptions"), mistake: meantForms)],
      returns: .signal(of: "string"),
      "Returns a cold signal of the output lines of a process: `{\"prog\", \"arg\", …, cwd=, env=, stdin=, stderr=, output=, timeout=, grace=, success_codes=, detach=}`.",
      example: """
        rac.exec{"sort", "-n", stdin = rac.from{"10", "9", "8"}}:subscribe(print)
        --> 8, 9, 10
        """
    ) { call in
      let reader = ProcessOptionsReader(call, at: 1)
      let argv = try reader.argv()
      return try call.newProcess(
        try reader.options(ProcessOptions(argv: argv), isCommand: true), optionsAt: 1)
    },
    APIFunction(
      "sh", needs: .processes,
      [
        .required("command_line", .string),
        .optional("options", .table("rac.ShellOptions")),
      ],
      returns: .signal(of: "string"),
      "Returns a cold signal of the output lines of a shell command line; the options are those of `exec`. In a command, the command's `shell` executes it, with the rest parameter as `\"$@\"`. A text that begins with `#!` is a script for the program named in its first line.",
      example: """
        print(rac.sh("echo $NAME | tr a-z A-Z", {env = {NAME = "lua"}}):first())
        --> LUA
        """
    ) { call in
      let line = try call.commandLine()
      var options = ProcessOptions(textOfFunction: line, at: call.host.placeOfCall())
      guard !options.argv.isEmpty else {
        throw LuaArgumentError.value(at: 1, problem: "its first line '#!' names no program")
      }
      options.function = "rac.sh"
      let reader = ProcessOptionsReader(call, at: call.has(2) ? 2 : nil)
      options = try reader.options(options, isCommand: false)
      if options.isDetached, case .script? = options.text {
        throw LuaArgumentError.value(
          at: 2, problem: "option 'detach' is for lines and programs; a script needs its file")
      }
      return try call.newProcess(options, optionsAt: call.has(2) ? 2 : 1)
    },
  ]
}

/// The forms that a call of `rac.exec` with texts was meant to have.
private func meantForms(_ call: APICall) -> String? {
  let texts = (1...max(call.count, 1)).compactMap { index in
    call.value(at: index).argumentBytes.map { String(exactly: $0) }
  }
  guard call.stack.type(at: 1) == .string, texts.count == call.count else { return nil }
  let shell = "rac.sh(\(LuaLiteral.text(texts.joined(separator: " "))))"
  // What only a shell understands has no form as a list.
  let needsShell =
    texts.count == 1 && texts[0].contains { "|&;<>()$`\\\"'*?[]#~=%{}\n".contains($0) }
  let words = texts.count == 1 ? texts[0].split(separator: " ").map(String.init) : texts
  let list = "rac.exec{\(words.map { LuaLiteral.text($0) }.joined(separator: ", "))}"
  return "table expected, got string; did you mean "
    + (needsShell ? "\(shell)?" : texts.count == 1 ? "\(shell) or \(list)?" : "\(list)?")
}

extension APICall {
  /// Returns the line of `rac.sh`, which may have marked values.
  fileprivate func commandLine() throws -> [UInt8] {
    if let line = stack.lazyText(at: 1) { return line }
    let line = try lua.bytes(at: 1).bytes
    guard !line.contains(0) else {
      throw LuaArgumentError.value(at: 1, problem: "the command line contains a zero byte")
    }
    return line
  }

  /// Pushes a process signal, which keeps the signal of its input, and its arguments if values of them
  /// are still to be computed.
  fileprivate func newProcess(_ options: ProcessOptions, optionsAt index: Int) throws -> LuaOutcome
  {
    let host = host
    var options = options
    options.base = host.scopeOfCall()?.folder.exactBytes
    let process = options
    let purpose = host.context.purpose
    let maker = { [weak execution = purpose.execution, surroundings = purpose.surroundings] in
      Purpose(execution: execution, surroundings: surroundings)
    }
    if stack.type(at: index) == .table {
      stack.rawGet("stdin", at: index)
    } else {
      stack.pushNil()
    }
    let held = [stack.top] + (options.isMarked ? [1, index] : [])
    return newSignal(holding: held) { _ in
      ProcessSignal(host: host, options: process, maker: maker).signal
    }
  }
}

/// Reads the table of `rac.exec`.
private struct ProcessOptionsReader {
  private let call: APICall
  private let index: Int?

  init(_ call: APICall, at index: Int?) {
    self.call = call
    self.index = index
  }

  private var fields: TableFields? { index.map { TableFields(call.stack, at: $0) } }

  func argv() throws -> [[UInt8]] {
    let words = try (fields?.elements ?? []).enumerated().map { position, value in
      if let lazy = call.stack.lazyText(of: value) { return lazy }
      guard let bytes = value.argumentBytes else {
        throw bad("argument \(position + 1) must be a string or a number, got \(value.type.name)")
      }
      guard !bytes.contains(0) else { throw bad("argument \(position + 1) contains a zero byte") }
      return bytes
    }
    guard !words.isEmpty else { throw bad("the program is missing: rac.exec{\"program\", …}") }
    return words
  }

  /// - Parameter isCommand: true if the table contains the program and its arguments too.
  func options(_ options: ProcessOptions, isCommand: Bool) throws -> ProcessOptions {
    var options = options
    guard let fields else { return options }
    try call.refuseUnknownKeys(at: fields.index, of: Library.shellOptions, isList: isCommand)
    options.directory = try bytes("cwd")
    options.variables = try variables()
    options.input = try input()
    options.errors = try choice("stderr") ?? options.errors
    options.output = try choice("output") ?? options.output
    options.timeout = try duration("timeout")
    options.grace = try duration("grace") ?? options.grace
    options.successCodes = try successCodes() ?? options.successCodes
    options.isDetached = try isDetached()
    return options
  }

  private func bytes(_ name: String) throws -> [UInt8]? {
    guard let value = fields?[name], !value.isNil else { return nil }
    guard let bytes = value.argumentBytes else {
      throw bad("option '\(name)' must be a string, got \(value.type.name)")
    }
    guard !bytes.contains(0) else { throw bad("option '\(name)' contains a zero byte") }
    return bytes
  }

  private func duration(_ name: String) throws -> Duration? {
    guard let value = fields?[name], !value.isNil else { return nil }
    guard let duration = value.duration else {
      throw bad(
        "option '\(name)' must be a number of seconds from 0 up, or a text such as \"30s\"")
    }
    return duration
  }

  private func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String
  ) throws -> Choice? where Choice.RawValue == String {
    guard let value = fields?[name], !value.isNil else { return nil }
    if let choice = value.stringValue.flatMap({ Choice(rawValue: $0.description) }) {
      return choice
    }
    let choices = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
    throw bad("option '\(name)' must be one of \(choices), got \(call.host.describe(value))")
  }

  private func variables() throws -> [EnvironmentChange] {
    guard let fields, fields.type("env") != .nil else { return [] }
    return try fields.variables("env", called: "option 'env'", bad)
  }

  private func input() throws -> ProcessOptions.Input {
    guard let value = fields?["stdin"], !value.isNil else { return .none }
    if let bytes = value.argumentBytes { return .bytes(bytes) }
    // The userdata of the process signal keeps this one.
    if let signal = call.host.operand(value) { return .signal(signal) }
    throw bad("option 'stdin' must be a string or a signal, got \(value.type.name)")
  }

  private func successCodes() throws -> [Int32]? {
    guard let fields, fields.type("success_codes") != .nil else { return nil }
    let values = fields.list("success_codes")
    let codes = values.compactMap { $0.integerValue.map { Int32(clamping: $0) } }
    guard !values.isEmpty, codes.count == values.count else {
      throw bad("option 'success_codes' must be a list of numbers")
    }
    return codes
  }

  /// Reads whether the program outlives the runner. Nothing then reads its output or waits for its
  /// end.
  private func isDetached() throws -> Bool {
    guard let fields,
      let isDetached = try fields.bool("detach", called: "option 'detach'", bad)
    else { return false }
    let others = ["stdin", "stderr", "output", "timeout", "grace", "success_codes"]
    if isDetached, let other = others.first(where: { fields.type($0) != .nil }) {
      throw bad("option '\(other)' cannot be used with 'detach'")
    }
    return isDetached
  }

  private func bad(_ problem: String) -> any Error {
    LuaArgumentError.value(at: index ?? 1, problem: problem)
  }
}
