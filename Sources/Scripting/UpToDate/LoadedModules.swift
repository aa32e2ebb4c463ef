import LuaRuntime

extension ScriptHost {
  /// Begins to keep the code of the modules that `require` loads, and the names of their files.
  /// Called before the first script runs.
  func keepModules() throws(LuaError) {
    let note = value { stack in
      stack.pushFunction { [unowned(unsafe) self] call in
        let path = try call.string(at: 1)
        if !self.moduleFiles.contains(path) {
          self.moduleFiles.append(path)
          self.onModuleFile(path)
        }
        return .results(0)
      }
    }
    loadedModules = try interpreter.call(.reference(prelude.keepModules), [note], results: 2)
  }
}
