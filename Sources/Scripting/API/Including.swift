import LuaRuntime

extension Library {
  /// Functions for files of commands.
  static let including: [APIFunction] = [
    APIFunction(
      "include", needs: .files,
      [
        .optional("namespace", .string), .required("path", .string, mistake: missingNamespace),
        .optional("options", .table("rac.IncludeOptions")),
      ], returns: .any,
      "Adds the commands of another file as `namespace:name`, or under their own names if the namespace is nil. Their needs, folders and other paths are relative to that file. Options: `cwd`, `optional`. Returns the file's results.",
      example: """
        local path = os.tmpname()
        local file <close> = io.open(path, "w")
        file:write('rac.command{name = "test", run = function() return 42 end}')
        file:close()
        rac.include("api", path)
        os.remove(path)
        print(rac.commands["api:test"]:execute():first())
        --> 42
        """
    ) { call in
      try call.include()
    }
  ]
}

/// The hint for a path without a namespace before it; nil for anything else.
private func missingNamespace(_ call: APICall) -> String? {
  guard call.count == 1 || call.stack.type(at: 2) == .table, call.stack.type(at: 1) == .string,
    let path = call.value(at: 1).stringValue?.exactText
  else { return nil }
  let text = LuaLiteral.text(path)
  return "the namespace is missing: rac.include(\"NAME\", \(text)) defines NAME:COMMAND, "
    + "rac.include(nil, \(text)) the names as they are"
}

extension APICall {
  fileprivate func include() throws -> LuaOutcome {
    let options = try includeOptions()
    do {
      let scope = try host.scopes.scope(
        including: lua.string(at: 2), as: has(1) ? lua.string(at: 1) : nil,
        workingIn: options.directory, in: host.loadingScope(), at: host.placeOfCall())
      stack.push(try host.loadIncluded(scope))
      return .tailCall(arguments: 0)
    } catch let problem as IncludeError {
      if case .missing(_, let path) = problem {
        host.scopes.addMissing(path)
        if options.isOptional { return .none }
        // The script handles it.
        if stack.isProtected { throw LuaError(located("\(problem)")) }
      }
      return try report(LuaError(located("\(problem)")))
    } catch let error as LuaError where error.kind == .file {
      return try report(LuaError(located("cannot include \(error.message)")))
    } catch let error as LuaError {
      return try report(error)
    }
  }

  private func located(_ problem: String) -> String {
    host.placeOfCall().map { "\($0): \(problem)" } ?? problem
  }

  private func includeOptions() throws -> (directory: String?, isOptional: Bool) {
    guard has(3) else { return (nil, false) }
    let fields = TableFields(stack, at: 3)
    try refuseUnknownKeys(at: 3, of: Library.includeOptions)
    let bad = { (problem: String) in LuaArgumentError.value(at: 3, problem: problem) }
    let directory = fields["cwd"]
    return (
      directory.isNil ? nil : try directory.path(called: "option 'cwd'", bad),
      try fields.bool("optional", called: "option 'optional'", bad) ?? false
    )
  }

  /// Throws an error, or reports it if all problems of a file are wanted.
  private func report(_ error: LuaError) throws -> LuaOutcome {
    guard let report = host.reportMistake else { throw error }
    report(error.message)
    return .none
  }
}
