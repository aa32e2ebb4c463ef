import LuaRuntime

extension Library {
  /// Functions for files of commands.
  static let including: [APIFunction] = [
    APIFunction(
      "include", needs: .files, [.required("namespace", .string), .required("path", .string)],
      returns: .any,
      "The commands of another file, as `namespace:name`. What they need, their folders and other paths are relative to that file. Returns what the file returns.",
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

extension APICall {
  fileprivate func include() throws -> LuaOutcome {
    do {
      let scope = try host.scopes.scope(
        including: lua.string(at: 2), as: lua.string(at: 1), in: host.loadingScope(),
        at: host.placeOfCall())
      stack.push(try host.loadIncluded(scope))
      return .tailCall(arguments: 0)
    } catch let problem as IncludeError {
      let error = LuaError(host.placeOfCall().map { "\($0): \(problem)" } ?? "\(problem)")
      return try report(error)
    } catch let error as LuaError where error.kind == .file {
      let problem = "cannot include \(error.message)"
      return try report(LuaError(host.placeOfCall().map { "\($0): \(problem)" } ?? problem))
    } catch let error as LuaError {
      return try report(error)
    }
  }

  /// Throws an error, or reports it if all problems of a file are wanted.
  private func report(_ error: LuaError) throws -> LuaOutcome {
    guard let report = host.onProblem else { throw error }
    report(error.message)
    return .none
  }
}
