/// The part of `description(ofDefinition:)` that is written in Lua: it walks over the values of a definition.
enum DefinitionDescriber {
  static let source = libraries + functions

  private static let functions = """
    -- Their results count, not what they are.
    local questions = {sources = true, outputs = true, depfile = true, fingerprint = true}

    return function(definition, calls)
      local parts = {}
      local modules = {}
      local lazies = {}
      local incomparable
      -- What was loaded is what is executed, whatever the file holds now.
      -- A module that a script has put into the tables of 'package' itself. One in C is in them too.
      local function made_module(name)
        local package = raw(globals, "package")
        if type(package) ~= "table" then return nil end
        local preload, loaded = raw(package, "preload"), raw(package, "loaded")
        local value = type(preload) == "table" and raw(preload, name) or nil
        if value == nil and type(loaded) == "table" then value = raw(loaded, name) end
        if type(value) == "function" and not pcall(dump, value, true) then return nil end
        if type(value) == "table" then
          for _, part in next, value do
            if type(part) == "function" and not pcall(dump, part, true) then return nil end
          end
        end
        return value
      end
      local function chunk_of(name)
        if modules[name] == nil then
          local chunk = loaded_code(name)
          local text = not chunk and module(name)
          modules[name] = chunk or text and (load(text, "=module", "t", no_globals) or text)
            or made_module(name) or false
        end
        return modules[name]
      end
      local current
      local function part(name, describe)
        local out = {}
        current = name
        describe(out)
        parts[#parts + 1] = name
        parts[#parts + 1] = concat(out)
      end

      local describe
      -- Returns a text for a value without contents that can be compared.
      local function name_of(value, kind)
        local name = name_in_library(value)
        if name then return "library " .. name .. ";" end
        local metatable = kind == "userdata" and metatable_of(value)
        local what = metatable and metatable.__name or kind == "function" and "function in C" or kind
        incomparable = incomparable or "changes of a value of type '" .. tostring(what)
          .. "' cannot be seen: " .. current .. "; make it inside the function"
        return "?;"
      end

      local function cannot_see(what, remedy)
        incomparable = incomparable or "changes of " .. what .. " cannot be seen: " .. current
          .. "; " .. remedy
      end

      local function sorted_keys(value)
        local keys = {}
        local metatable = metatable_of(value)
        local mode = type(metatable) == "table" and metatable.__mode
        -- Weak keys are notes about objects, and no part of what a function does.
        local is_weak = mode == "k" or mode == "kv" or mode == "vk"
        for key in next, value do
          local kind = type(key)
          if kind == "string" or kind == "number" or kind == "boolean" then
            keys[#keys + 1] = key
          elseif not is_weak then
            cannot_see("a table whose keys are values of type '" .. kind .. "'",
              "use texts or numbers as its keys")
          end
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
      local function each_use(value, strings, computes_keys, fetched, variable)
        local index, place = 1, current
        -- What the function reaches: globals by name, all of them as a table, and the like.
        local uses_globals, has_table, requires, loads_modules, loads, reaches_commands
        local uses_library, iterates
        if string_methods then variable("the methods of strings", string_methods) end
        while true do
          local name, inner = upvalue(value, index)
          if not name then break end
          if inner == globals or inner == no_globals then
            uses_globals = true
            if name ~= "_ENV" or fetched[index] then has_table = true end
          else
            if inner == nil then
            elseif inner == require then requires, loads_modules = true, true
            elseif inner == next or inner == pairs then iterates = true
            elseif inner == dofile or inner == loadfile then loads = true
            elseif inner == globals.rac or libraries[inner] == "rac.commands" then
              reaches_commands = libraries[inner] == "rac.commands" or reaches_commands
              uses_library = true
            end
            local title = fetched[index] and computes_keys and libraries[inner]
            if title and extensible_by_title[title] and is_extended(inner) then
              cannot_see("functions in '" .. title .. "' whose names are computed",
                "write their names")
            end
            variable("'" .. name .. "'", inner)
          end
          index = index + 1
        end
        for _, name in next, strings do
          if name == "commands" then reaches_commands = true end
          if uses_globals then
            if name == "require" then requires, loads_modules = true, true
            elseif name == "package" then requires = true
            elseif name == "pairs" or name == "next" then iterates = true
            elseif name == "rac" then
              uses_library = true
              if computes_keys and globals.rac and is_extended(globals.rac) then
                cannot_see("functions in 'rac' whose names are computed", "write their names")
              end
            elseif name == "dofile" or name == "loadfile" then loads = true
            elseif name == "_G" then has_table = true end
          end
        end
        local finds_file, finds_command, finds_module
        for _, name in next, strings do
          if uses_globals and not standard[name] then
            local inner = globals[name]
            if inner ~= nil then variable("'" .. name .. "'", inner) end
          end
          local chunk = requires and not standard[name] and chunk_of(name)
          if chunk then variable("the module '" .. name .. "'", chunk) end
          finds_module = finds_module or may_name_module(name)
          local content = loads and file(name)
          if content then
            finds_file = true
            variable("the file '" .. name .. "'", load(content, "=file", "t", no_globals) or content)
          end
          if reaches_commands then
            for _, command in next, commands(name) do
              finds_command = true
              variable("the command '" .. name .. "'", command)
            end
          end
          -- What scripts have added to the libraries, or have replaced there: theirs are in C.
          for _, title in next, extensible do
            local inner = raw(extensible_by_title[title], name)
            local kind = type(inner)
            if scalar[kind] or kind == "function" and pcall(dump, inner, true)
              or kind == "table" and not libraries[inner]
            then
              variable("'" .. title .. "." .. name .. "'", inner)
            end
          end
        end
        current = place
        if has_table and computes_keys then
          cannot_see("globals whose names are computed", "write their names")
        end
        if loads_modules and not finds_module then
          cannot_see("a module that is loaded by a computed name", "write its name")
        end
        if loads and not finds_file then
          cannot_see("a file that is loaded by a computed name", "name it in 'sources'")
        end
        if reaches_commands and not finds_command and computes_keys then
          cannot_see("a command whose name is computed", "write its name")
        elseif reaches_commands and not finds_command and iterates and uses_library then
          cannot_see("commands that it looks for in 'rac.commands'", "write their names")
        end
      end

      function describe(value, out, seen)
        local kind = type(value)
        if kind == "string" then
          out[#out + 1] = "s" .. #value .. ":" .. value
        elseif kind == "number" then
          -- Lua's own text of a float has 14 digits.
          local text = math_type(value) == "float" and format("%.17g", value) or tostring(value)
          out[#out + 1] = math_type(value) .. " " .. text .. ";"
        elseif kind == "boolean" or kind == "nil" then
          out[#out + 1] = tostring(value) .. ";"
        elseif libraries[value] then
          out[#out + 1] = "library " .. libraries[value] .. ";"
        elseif seen[value] then
          out[#out + 1] = "seen " .. seen[value] .. ";"
        elseif kind == "function" then
          seen.count = (seen.count or 0) + 1
          seen[value] = seen.count
          local is_lua, code = pcall(dump, value, true)
          if not is_lua then
            out[#out + 1] = name_of(value, kind)
            return
          end
          local text, strings, computes_keys, fetched = code_of(code)
          out[#out + 1] = "f" .. #text .. ":" .. text
          each_use(value, strings, computes_keys, fetched, function(name, inner)
            out[#out + 1] = name .. "="
            describe(inner, out, seen)
          end)
        elseif kind == "table" then
          seen.count = (seen.count or 0) + 1
          seen[value] = seen.count
          local metatable = metatable_of(value)
          out[#out + 1] = "{"
          for _, key in next, sorted_keys(value) do
            describe(key, out, seen)
            out[#out + 1] = "="
            local inner = value[key]
            if inner == require or inner == dofile or inner == loadfile then
              cannot_see("what is loaded by '" .. name_in_library(inner) .. "' in a table",
                "call the function by its own name")
            end
            describe(inner, out, seen)
          end
          out[#out + 1] = "}"
          if metatable then describe(metatable, out, seen) end
        else
          local lazy = kind == "userdata" and lazy_parts(value)
          local name, work, functions
          if kind == "userdata" and not lazy then name, work, functions = commands(value) end
          if not lazy and not name then
            out[#out + 1] = name_of(value, kind)
            return
          end
          seen.count = (seen.count or 0) + 1
          seen[value] = seen.count
          if lazy then lazies[#lazies + 1] = value end
          out[#out + 1] = lazy and "lazy " or "command " .. #work .. ":" .. work
          describe(lazy or functions, out, seen)
        end
      end

      for _, key in next, sorted_keys(definition) do
        local value = definition[key]
        local is_lua, code = false, nil
        if type(value) == "function" then is_lua, code = pcall(dump, value, true) end
        if questions[key] then
          -- Asked elsewhere.
        elseif is_lua then
          local text, strings, computes_keys, fetched = code_of(code)
          part("'" .. key .. "'", function(out) out[1] = text end)
          each_use(value, strings, computes_keys, fetched, function(name, inner)
            part(name .. ", which '" .. key .. "' uses", function(out) describe(inner, out, {}) end)
          end)
        else
          part("'" .. key .. "'", function(out) describe(value, out, {}) end)
        end
      end
      for _, name in next, sorted_keys(calls) do
        part("the command '" .. name .. "', which 'steps' uses", function(out)
          describe(calls[name], out, {})
        end)
      end
      return parts, incomparable, lazies
    end
    """
}
