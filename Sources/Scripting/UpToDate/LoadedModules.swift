import LuaRuntime

extension ScriptHost {
  /// Begins to keep the code of the modules that `require` loads, and notes the names of all that the
  /// libraries hold: before the first script runs, which may change both. The description of
  /// definitions needs them.
  func noteModules() throws(LuaError) {
    let note = value { stack in
      stack.pushFunction { [unowned(unsafe) self] call in
        let path = try call.string(at: 1)
        if !self.moduleFiles.contains(path) { self.moduleFiles.append(path) }
        return .results(0)
      }
    }
    let chunk = try interpreter.load(LoadedModules.source, chunkName: "=[rac]")
    let functions = try interpreter.call(.reference(chunk), [note], results: 2)
    guard functions.count == 2, case .reference(let code) = functions[0],
      case .reference(let name) = functions[1]
    else { return }
    loadedModules = (code, name)
  }
}

/// The Lua part of `noteModules`. Returns two functions: one that returns the code of a module as it
/// was loaded, and one that returns the name of a value of a library.
private enum LoadedModules {
  static let source = """
    local note = ...
    local next, type, rawequal, loaded = next, type, rawequal, package.loaded
    local searchers, chunks = package.searchers, {}
    local search = searchers[2]
    searchers[2] = function(name)
      local loader, path = search(name)
      if type(loader) == "function" and type(path) == "string" then
        chunks[name] = loader
        note(path)
      end
      return loader, path
    end

    local names = {}
    local named = {["function"] = true, table = true, userdata = true}
    local function name_fields(library, prefix, depth)
      for key, value in next, library do
        if type(key) == "string" and named[type(value)] and not names[value] then
          names[value] = prefix .. key
          if type(value) == "table" and depth > 0 then
            name_fields(value, prefix .. key .. ".", depth - 1)
          end
        end
      end
    end
    local libraries = {
      "coroutine", "debug", "io", "math", "os", "package", "rac", "string", "table", "utf8",
    }
    names[_G] = "_G"
    for _, name in next, libraries do
      if type(_G[name]) == "table" then names[_G[name]] = name end
    end
    for _, name in next, libraries do
      if type(_G[name]) == "table" then name_fields(_G[name], name .. ".", 1) end
    end
    name_fields(_G, "", 0)

    local function name_of(value)
      if names[value] then return names[value] end
      for name, module in next, loaded do
        if rawequal(module, value) and type(value) ~= "table" then return name end
        if type(module) == "table" and not names[module] then
          for key, field in next, module do
            if rawequal(field, value) and type(key) == "string" then return name .. "." .. key end
          end
        end
      end
    end
    local function code_of(name) if loaded[name] ~= nil then return chunks[name] end end
    return code_of, function(value, searches)
      if searches then return name_of(value) end
      return names[value]
    end
    """
}
