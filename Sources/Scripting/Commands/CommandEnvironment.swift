import Digests
import EventLoop
import LuaRuntime
import Platform

/// How the processes of a command take part in the job server of the runner.
enum JobServerUse {
  /// They do not count, and see none.
  case none
  /// As the runner does.
  case inherited
  /// By a path in place of descriptors.
  case byPath
}

/// The environment of a command: its folder, the variables of its processes, and its secrets.
struct CommandEnvironment: Sendable {
  /// The folder, relative to that of the program.
  var directory: String?
  var variables: [EnvironmentChange] = []
  /// Files with variables that the environment does not set yet.
  var variableFiles: [VariableFile] = []
  /// The shell of its lines; nil for `/bin/sh`.
  var shell: Shell?
  /// The names of variables and parameters whose values must not be shown.
  var secrets: [String] = []
  /// True if its processes own the terminal.
  var isInteractive = false
  /// How its processes take part in a job server.
  var jobServer = JobServerUse.inherited
  /// True if each of its processes has a pseudo-terminal of its own.
  var hasTerminal = false
  /// Which of the variables that they begin with its processes get; nil for all.
  var passed: PassedVariables?

  init() {}

  init(_ fields: TableFields, _ problems: DefinitionProblems) throws {
    let bad = problems.bad
    directory = try problems.part(nil) { try Self.path(fields, "cwd", bad) }
    variables = try problems.part([]) {
      guard fields.type("env") != .nil else { return [] }
      return try fields.variables("env", called: "field 'env'", bad)
    }
    variableFiles = try problems.part([]) { try VariableFile.all(fields, "env_file", bad) }
    shell = try problems.part(nil) { try Shell(fields, "shell", bad) }
    secrets = try problems.part([]) { try fields.texts("secrets", problems) }
    isInteractive = try problems.part(false) { try fields.bool("interactive", problems) }
    jobServer = try problems.part(.inherited) {
      switch fields["jobserver"] {
      case .nil, .bool(true): .inherited
      case .bool(false): .none
      case .string("fifo"): .byPath
      default: throw bad("field 'jobserver' must be a boolean or \"fifo\"")
      }
    }
    hasTerminal = try problems.part(false) {
      let hasTerminal = try fields.bool("tty", problems)
      if hasTerminal, isInteractive {
        throw bad("the fields 'tty' and 'interactive' exclude each other")
      }
      return hasTerminal
    }
  }

  private static func path(
    _ fields: TableFields, _ name: String, _ bad: (String) -> any Error
  ) throws -> String? {
    switch fields[name] {
    case .nil: return nil
    case let value: return try value.path(called: "field '\(name)'", bad)
    }
  }

  /// Checks that its files of variables can be read.
  ///
  /// - Throws: `Failure` for the first that cannot.
  func check(for caller: CallerEnvironment) throws(Failure) {
    _ = try EnvironmentFile.read(variableFiles, for: caller)
  }

  /// The variables that its files set, which count for what its processes do.
  private func variablesOfFiles(
    for caller: CallerEnvironment
  ) throws(Failure) -> [EnvironmentChange] {
    // A variable that is already set takes precedence: a file holds defaults, as is customary.
    try EnvironmentFile.read(variableFiles, for: caller).filter {
      caller.value(of: $0.name) == nil || passed?.contains($0.name) == false
    }
  }

  /// The digests of the values of the variables that its files set now for a caller.
  func digestsOfFiles(for caller: CallerEnvironment) throws(Failure) -> [String: [UInt8]] {
    var values: [String: [UInt8]] = [:]
    for (name, value) in try variablesOfFiles(for: caller) { values[name] = value }
    return values.mapValues { value in
      var digest = SHA256()
      digest.update(value)
      return digest.finish()
    }
  }

  /// The variables that its files set now for a caller, as parts of the definition.
  func definitionParts(for caller: CallerEnvironment) throws(Failure) -> [StoredExecution.Part] {
    try digestsOfFiles(for: caller).sorted { $0.key.isBefore($1.key) }.map { name, digest in
      StoredExecution.Part(name: "the variable '\(name)' in 'env_file'", digest: digest)
    }
  }

  /// Returns the working context of an execution that begins now for a caller.
  ///
  /// - Throws: `Failure` for a file of variables that cannot be read.
  ///
  /// - Parameter isService: true for a service, which takes no job.
  func place(
    for caller: CallerEnvironment, isService: Bool = false
  ) throws(Failure) -> ProcessContext {
    var place = ProcessContext(caller)
    place.directory = directory?.exactBytes
    place.shell = shell
    place.isInteractive = isInteractive
    place.hasTerminal = hasTerminal
    place.passed = passed
    place.variables = try variablesOfFiles(for: caller) + variables
    // Another program is in no job server of this one.
    if caller.isOfThisProgram, isService || jobServer == .none {
      place.variables.insert(contentsOf: JobServerVariables.hiding, at: 0)
    }
    return place
  }

  /// Returns the work of the definition's questions, which are asked without a terminal.
  ///
  /// - Throws: `Failure` for a file of variables that cannot be read.
  func purposeOfQuestions(
    of name: String?, for caller: CallerEnvironment
  ) throws(Failure) -> Purpose {
    if caller.isOwn, directory == nil, variables.isEmpty, variableFiles.isEmpty, shell == nil,
      passed == nil
    {
      return Purpose()
    }
    var place = try place(for: caller)
    place.name = name
    Secrets.add(place.variables)
    (place.isInteractive, place.hasTerminal) = (false, false)
    return Purpose(surroundings: Surroundings(place))
  }
}

extension LuaValue {
  /// Returns the path that the value is.
  ///
  /// - Parameter what: the place of the value in the definition.
  func path(called what: String, _ bad: (String) -> any Error) throws -> String {
    guard case .string(let text) = self, !text.isEmpty, !text.bytes.contains(0) else {
      throw bad("\(what) must be a path, got \(type.name)")
    }
    return text.exactText
  }
}
