import LuaRuntime

extension ScriptHost {
  /// Begins to keep the code of the modules that `require` loads, and the names of their files.
  /// Called before the first script runs.
  func keepModules() {
    let search = value { stack in
      stack.pushFunction { [unowned(unsafe) self] call in
        call.stack.push(try moduleKeeping().search)
        call.stack.insert(at: 1)
        return .tailCall(arguments: call.count)
      }
    }
    fileSearch = interpreter.replaceFileSearch(by: search)
  }

  /// A function that returns the code of a module as it was loaded, and the table of all modules; empty
  /// in the sandbox.
  func loadedModules() throws(LuaError) -> [LuaValue] {
    fileSearch.isNil ? [] : try moduleKeeping().loaded
  }

  /// Records the file of a module, right before it is read.
  func noteModule(_ path: String) {
    guard !moduleFiles.contains(path) else { return }
    modules.append((path, CommandFileState(path)))
    observers.foundModule(path)
  }

  private func moduleKeeping() throws(LuaError) -> ModuleKeeping {
    if let keeping = moduleKeepingInForce { return keeping }
    let note = value { stack in
      stack.pushFunction { [unowned(unsafe) self] call in
        noteModule(try call.string(at: 1))
        return .results(0)
      }
    }
    let results = try interpreter.call(
      .reference(prelude[.keepModules]), [fileSearch, note], results: 3)
    let keeping = ModuleKeeping(search: results[0], loaded: Array(results[1...]))
    moduleKeepingInForce = keeping
    return keeping
  }
}

/// What keeps the code of modules, made with the first one.
struct ModuleKeeping {
  /// Searches a module among Lua's files.
  let search: LuaValue
  /// A function that returns the code of a module as it was loaded, and the table of all modules.
  let loaded: [LuaValue]
}
