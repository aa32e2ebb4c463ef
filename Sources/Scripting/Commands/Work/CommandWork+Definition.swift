import LuaRuntime
import Platform

extension CommandWork {
  /// Reads the work of a definition and pushes a table of its functions. [-0, +1]
  static func read(
    _ fields: TableFields, _ problems: DefinitionProblems
  ) throws -> CommandWork {
    var reader = WorkReader(fields, problems)
    return try reader.read()
  }
}

private struct WorkReader {
  private let fields: TableFields
  private let problems: DefinitionProblems
  /// The index of the table of functions, and the number of functions in it.
  private let functions: Int
  private var functionCount = 0

  private var stack: LuaStack { fields.stack }

  init(_ fields: TableFields, _ problems: DefinitionProblems) {
    self.fields = fields
    self.problems = problems
    fields.stack.newTable()
    functions = fields.stack.top
  }

  mutating func read() throws -> CommandWork {
    do {
      let work = try readWork()
      stack.top = functions
      return work
    } catch {
      // The caller may continue with the next field.
      stack.top = functions - 1
      throw error
    }
  }

  private mutating func readWork() throws -> CommandWork {
    switch (fields.type("run"), fields.type("steps")) {
    case (.nil, .nil) where fields.type("needs") != .nil:
      return CommandWork(steps: [], isList: true)
    case (_, .nil):
      stack.rawGet("run", at: fields.index)
      return CommandWork(steps: [try step(called: "field 'run'")], isList: false)
    case (.nil, .table):
      stack.rawGet("steps", at: fields.index)
      return CommandWork(steps: try steps(at: stack.top), isList: true)
    case (.nil, let type):
      throw problems.bad("field 'steps' must be a list of steps, got \(type.name)")
    default:
      throw problems.bad("the fields 'run' and 'steps' exclude each other")
    }
  }

  private mutating func steps(at list: Int) throws -> [CommandWork.Step] {
    if let name = TableFields(stack, at: list).names.min() {
      throw problems.bad("field 'steps' is a list, it has no '\(name)'")
    }
    let count = stack.rawLength(at: list)
    guard count > 0 else { throw problems.bad("field 'steps' must not be empty") }
    var steps: [CommandWork.Step] = []
    for position in 1...count {
      stack.rawGet(position, at: list)
      steps.append(try step(called: "steps[\(position)]"))
      stack.pop()
    }
    return steps
  }

  /// Reads the step at the top of the stack. [-0, +0]
  private mutating func step(called name: String) throws -> CommandWork.Step {
    switch stack.type(at: -1) {
    case .function:
      functionCount += 1
      stack.copy(from: stack.top)
      stack.rawSet(functionCount, at: functions)
      return .function(position: functionCount)
    case .string:
      let line = try bytes(stack.value(at: -1), called: name)
      guard line.contains(where: { !" \t\r\n".utf8.contains($0) }) else {
        throw problems.bad("\(name) must not be empty")
      }
      return try step(ofText: line, called: name)
    case .userdata where stack.lazyText(at: -1) != nil:
      return try step(ofText: stack.lazyText(at: -1) ?? [], called: name)
    case .table:
      let table = TableFields(stack, at: -1)
      guard table.type("command") != .nil else { return .program(try words(called: name)) }
      guard name != "field 'run'" else {
        throw problems.bad("\(name) executes no command; steps = {{command = …}} does")
      }
      return .command(
        try Need(at: "command", of: table, called: "'command' of \(name)", problems.bad))
    case let type:
      let forms =
        name == "field 'run'"
        ? "a function, a line for the shell or a list of words"
        : "a function, a line for the shell, a list of words or a {command = …}"
      let hint = type == .nil ? problems.hintAtUnsetName(in: "run") : ""
      throw problems.bad("\(name) must be \(forms), got \(type.name)\(hint)")
    }
  }

  private func step(ofText text: [UInt8], called name: String) throws -> CommandWork.Step {
    guard let script = InterpreterScript(text) else { return .line(text) }
    guard !script.interpreter.isEmpty else {
      throw problems.bad("\(name): its first line '#!' names no program")
    }
    return .script(script)
  }

  private func words(called name: String) throws -> [[UInt8]] {
    let table = TableFields(stack, at: -1)
    if let option = table.names.min() {
      throw problems.bad(
        "\(name) is a list of words and has no '\(option)'; "
          + "options belong to rac.exec, in a function")
    }
    let words = try table.elements.enumerated().map { position, word in
      if word.type == .table, name == "field 'run'" {
        throw problems.bad("field 'run' has the words of one program; several go into 'steps'")
      }
      return try bytes(word, called: "word \(position + 1) of \(name)")
    }
    guard let program = words.first, !program.isEmpty else {
      let hint = problems.hintAtUnsetName(in: name == "field 'run'" ? "run" : "steps")
      throw problems.bad("\(name) names no program\(words.isEmpty ? hint : "")")
    }
    return words
  }

  private func bytes(
    _ value: LuaValue, called name: @autoclosure () -> String
  ) throws -> [UInt8] {
    if let lazy = stack.lazyText(of: value) { return lazy }
    guard let bytes = value.argumentBytes else {
      throw problems.bad("\(name()) must be a string or a number, got \(value.type.name)")
    }
    guard !bytes.contains(0) else { throw problems.bad("\(name()) contains a zero byte") }
    return bytes
  }
}
