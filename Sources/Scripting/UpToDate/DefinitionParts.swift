import Digests
import LuaRuntime
import Platform

extension ScriptHost {
  /// The parts of a definition that decide what an execution does, with digests: each key, each
  /// variable that its functions use, and each module that they name in `require`.
  ///
  /// A function counts by its code without debug information, so that comments and the place where
  /// it stands do not count.
  ///
  /// - Parameter kept: the table that `UpToDateRules.pushKept` has made.
  func definitionParts(of kept: LuaValue) throws -> [StoredExecution.Part] {
    let describer = try definitionDescriber()
    let results = try interpreter.call(.reference(describer), [kept], results: 1)
    guard case .reference(let list)? = results.first else { return [] }
    let texts: [LuaString] =
      interpreter.withStack { stack in
        stack.push(list)
        return TableFields(stack, at: -1).elements.compactMap(\.stringValue)
      } ?? []
    return stride(from: 0, to: texts.count - 1, by: 2).map { index in
      var digest = SHA256()
      texts[index + 1].withUnsafeBytes { digest.update($0) }
      return StoredExecution.Part(name: texts[index].exactText, digest: digest.finish())
    }
  }

  /// The function that describes definitions, compiled when it is first needed.
  private func definitionDescriber() throws -> LuaReference {
    if let definitionDescription { return definitionDescription }
    let chunk = try interpreter.load(DefinitionDescriber.source, chunkName: "=[rac]")
    let code = value { stack in
      stack.pushFunction { call in
        let bytes = try call.bytes(at: 1).bytes
        let bytecode = Bytecode(bytes)
        call.stack.push(LuaString(bytecode?.normalized ?? bytes))
        let strings = bytecode?.strings ?? []
        call.stack.newTable(elements: strings.count)
        for (index, string) in strings.enumerated() {
          call.stack.push(LuaString(string))
          call.stack.rawSet(index + 1, at: -2)
        }
        return .results(2)
      }
    }
    let module = value { stack in
      stack.pushFunction { [unowned(unsafe) self] call in
        let name = try call.string(at: 1)
        guard let path = self.moduleFile(name), let content = fileContent(path) else {
          return call.returning(.nil)
        }
        return call.returning(.string(LuaString(content)))
      }
    }
    let made = try interpreter.call(
      .reference(chunk), [.reference(prelude.introspection), code, module], results: 1)
    guard case .reference(let describer)? = made.first else {
      throw LuaError("the description of definitions is not a function")
    }
    definitionDescription = describer
    return describer
  }

  /// The text file of a module that `require` would find; nil for modules in C and unknown ones.
  private func moduleFile(_ name: String) -> String? {
    let part = name.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "/")
    return interpreter.packagePath.split(separator: ";")
      .map { $0.split(separator: "?", omittingEmptySubsequences: false).joined(separator: part) }
      .first { access($0, R_OK) == 0 }
  }
}

/// The Lua part of `definitionParts`.
private enum DefinitionDescriber {
  static let source = """
    local introspection, code_of, module = ...
    local dump, upvalue, metatable_of, load, sort, math_type, pcall, type, next, tostring, concat,
      globals = introspection()

    -- Lua's own library, and ours: whatever they hold is no part of a definition.
    local standard = {}
    for _, name in next, {"_G", "arg", "coroutine", "debug", "io", "math", "os", "package", "rac",
      "string", "table", "utf8"} do
      standard[name] = true
    end

    -- Their results count, not what they are.
    local questions = {sources = true, outputs = true, depfile = true, fingerprint = true}

    return function(definition)
      local parts = {}
      local modules = {}
      local function chunk_of(name)
        if modules[name] == nil then
          local text = module(name)
          modules[name] = text and (load(text, "=module", "t", {}) or text) or false
        end
        return modules[name]
      end
      local function part(name, describe)
        local out = {}
        describe(out)
        parts[#parts + 1] = name
        parts[#parts + 1] = concat(out)
      end

      local describe
      local skipped = {}
      for name in next, standard do
        local value = globals[name]
        if value ~= nil then skipped[value] = name end
      end

      local function sorted_keys(value)
        local keys = {}
        for key in next, value do
          local kind = type(key)
          if kind == "string" or kind == "number" or kind == "boolean" then keys[#keys + 1] = key end
        end
        sort(keys, function(a, b)
          local one, other = type(a), type(b)
          if one ~= other then return one < other end
          if one == "boolean" then return a and not b end
          return a < b
        end)
        return keys
      end

      -- Calls `variable` with what a function uses from outside: variables, globals, modules.
      local function each_use(value, strings, variable)
        local index, uses_globals = 1, false
        while true do
          local name, inner = upvalue(value, index)
          if not name then break end
          if name == "_ENV" then uses_globals = true else variable("'" .. name .. "'", inner) end
          index = index + 1
        end
        if not uses_globals then return end
        local requires = false
        for _, name in next, strings do requires = requires or name == "require" end
        for _, name in next, strings do
          if not standard[name] then
            local inner = globals[name]
            if inner ~= nil then variable("'" .. name .. "'", inner) end
            local chunk = requires and chunk_of(name)
            if chunk then variable("the module '" .. name .. "'", chunk) end
          end
        end
      end

      function describe(value, out, seen)
        local kind = type(value)
        if kind == "string" then
          out[#out + 1] = "s" .. #value .. ":" .. value
        elseif kind == "number" then
          out[#out + 1] = math_type(value) .. " " .. tostring(value) .. ";"
        elseif kind == "boolean" or kind == "nil" then
          out[#out + 1] = tostring(value) .. ";"
        elseif skipped[value] then
          out[#out + 1] = "library " .. skipped[value] .. ";"
        elseif seen[value] then
          out[#out + 1] = "seen " .. seen[value] .. ";"
        elseif kind == "function" then
          seen.count = (seen.count or 0) + 1
          seen[value] = seen.count
          local is_lua, code = pcall(dump, value, true)
          if not is_lua then
            out[#out + 1] = "C;"
            return
          end
          local text, strings = code_of(code)
          out[#out + 1] = "f" .. #text .. ":" .. text
          each_use(value, strings, function(name, inner)
            out[#out + 1] = name .. "="
            describe(inner, out, seen)
          end)
        elseif kind == "table" then
          seen.count = (seen.count or 0) + 1
          seen[value] = seen.count
          out[#out + 1] = "{"
          for _, key in next, sorted_keys(value) do
            describe(key, out, seen)
            out[#out + 1] = "="
            describe(value[key], out, seen)
          end
          out[#out + 1] = "}"
          local metatable = metatable_of(value)
          if metatable then describe(metatable, out, seen) end
        else
          out[#out + 1] = kind .. ";"
        end
      end

      for _, key in next, sorted_keys(definition) do
        local value = definition[key]
        local is_lua, code = false, nil
        if type(value) == "function" then is_lua, code = pcall(dump, value, true) end
        if questions[key] then
          -- Asked elsewhere.
        elseif is_lua then
          local text, strings = code_of(code)
          part("'" .. key .. "'", function(out) out[1] = text end)
          each_use(value, strings, function(name, inner)
            part(name .. ", which '" .. key .. "' uses", function(out) describe(inner, out, {}) end)
          end)
        else
          part("'" .. key .. "'", function(out) describe(value, out, {}) end)
        end
      end
      return parts
    end
    """
}
