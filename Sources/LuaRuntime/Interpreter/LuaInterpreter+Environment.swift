import CLuaShims

// Globals and the package library.

extension LuaInterpreter {
  /// Makes an empty table.
  public func newTable() throws(LuaError) -> LuaReference {
    let table = withStack { stack in
      stack.newTable()
      return LuaReference(popping: stack, type: .table, lifetime: lifetime)
    }
    guard let table else { throw unavailable() }
    return table
  }

  /// Returns the value of a global, raw.
  public func global(_ name: String) -> LuaValue {
    withStack { stack in
      lua_rawgeti(stack.state, rac_lua_registry_index(), Int64(LUA_RIDX_GLOBALS))
      stack.rawGet(name, at: -1)
      return stack.value(at: -1)
    } ?? .nil
  }

  /// Sets a global, raw.
  public func setGlobal(_ name: String, _ value: LuaValue) {
    _ = withStack { stack in
      lua_rawgeti(stack.state, rac_lua_registry_index(), Int64(LUA_RIDX_GLOBALS))
      stack.set(name, value, at: -1)
    }
  }

  /// The search path of `require` for Lua modules, `package.path`.
  public var packagePath: String {
    get { packageField("path") }
    set { setPackageField("path", newValue) }
  }

  /// The search path of `require` for C modules, `package.cpath`.
  public var packageCPath: String {
    get { packageField("cpath") }
    set { setPackageField("cpath", newValue) }
  }

  /// Makes `require(name)` call `loader`, which returns the module.
  public func preload(_ name: String, _ loader: LuaValue) {
    withPackage { stack in
      guard stack.rawGet("preload", at: -1) == .table else { return }
      stack.set(name, loader, at: -1)
    }
  }

  /// Replaces a function of one of Lua's own libraries, even if the global was changed; does
  /// nothing if the library does not have the function.
  public func replaceMember(_ name: String, of library: String, by value: LuaValue) {
    withPackage { stack in
      guard stack.rawGet("loaded", at: -1) == .table, stack.rawGet(library, at: -1) == .table,
        stack.rawGet(name, at: -1) == .function
      else { return }
      stack.pop()
      stack.set(name, value, at: -1)
    }
  }

  /// Replaces what `require` searches Lua's files with, the second of its searchers.
  ///
  /// - Returns: what it was.
  package func replaceFileSearch(by search: LuaValue) -> LuaValue {
    var former = LuaValue.nil
    withPackage { stack in
      guard stack.rawGet("searchers", at: -1) == .table else { return }
      stack.rawGet(2, at: -1)
      former = stack.value(at: -1)
      stack.pop()
      stack.push(search)
      stack.rawSet(2, at: -2)
    }
    return former
  }

  private func withPackage(_ body: (LuaStack) -> Void) {
    _ = withStack { stack in
      rac_lua_push_package(stack.state)
      body(stack)
    }
  }

  private func packageField(_ name: String) -> String {
    var field = ""
    withPackage { stack in
      stack.rawGet(name, at: -1)
      field = stack.string(at: -1) ?? ""
    }
    return field
  }

  private func setPackageField(_ name: String, _ value: String) {
    withPackage { stack in stack.set(name, .string(value), at: -1) }
  }
}
