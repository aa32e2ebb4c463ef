/// The part of `description(ofDefinition:)` that is written in Lua: it walks over the values of a definition.
enum DefinitionDescriber {
  static let source = """
    local introspection, code_of, module, lazy_parts, file, commands, loaded_code, loaded = ...
    local dump, upvalue, metatable_of, load, sort, math_type, pcall, type, next, tostring, concat,
      format, globals = introspection()
    local raw = globals.rawget
    -- The environment of modules that are only read.
    local no_globals = {}
    local require, dofile, loadfile = globals.require, globals.dofile, globals.loadfile

    -- Lua's own library, and ours: whatever they hold is no part of a definition.
    local standard, libraries = {}, {}
    for _, name in next, {"_G", "arg", "coroutine", "debug", "io", "math", "os", "package", "rac",
      "string", "table", "utf8"} do
      standard[name] = true
      if globals[name] ~= nil then libraries[globals[name]] = name end
    end
    if globals.rac then
      libraries[globals.rac.commands] = "rac.commands"
      for name, part in next, globals.rac do
        local metatable = type(part) == "table" and metatable_of(part)
        local mark = metatable and metatable.__metatable
        if mark == "module" or mark == "env" then libraries[part] = "rac." .. name end
      end
    end

    -- The metatable of strings, if its methods are no longer those of the library.
    local string_metatable = metatable_of("")
    local string_methods = string_metatable and string_metatable.__index ~= globals.string
      and string_metatable or nil

    -- The libraries to which scripts may add, in an order that is always the same.
    local extensible, extensible_by_title = {}, {}
    for library, title in next, libraries do
      if type(library) == "table" and title ~= "_G" and title ~= "arg" and title ~= "package"
        and title ~= "rac.commands" and title ~= "rac.env"
      then
        extensible[#extensible + 1], extensible_by_title[title] = title, library
      end
    end
    sort(extensible)

    -- The names of the functions in C and the userdata of libraries, once one is met.
    local names
    local function note_names(fields, prefix, depth)
      for key, value in next, fields do
        local kind = type(value)
        if type(key) ~= "string" then
          -- It has no name.
        elseif kind == "function" or kind == "userdata" then
          local name, known = prefix .. key, names[value]
          -- Of several names the same one each time, whatever the order of the table is.
          if not known or name < known then names[value] = name end
        elseif kind == "table" and depth > 0 and libraries[value] ~= "rac.commands" then
          note_names(value, prefix .. key .. ".", depth - 1)
        end
      end
    end
    local function name_in_library(value)
      if not names then
        names = {}
        for name in next, standard do
          if name ~= "_G" and name ~= "arg" and globals[name] then
            -- What others have loaded is inside package.
            note_names(globals[name], name .. ".", name == "package" and 0 or 1)
          end
        end
        for _, name in next, {"assert", "collectgarbage", "dofile", "error", "getmetatable", "ipairs",
          "load", "loadfile", "next", "pairs", "pcall", "print", "rawequal", "rawget", "rawlen",
          "rawset", "require", "select", "setmetatable", "tonumber", "tostring", "type", "warn",
          "xpcall"} do
          local value = globals[name]
          if value ~= nil and not names[value] then names[value] = name end
        end
      end
      if names[value] then return names[value] end
      -- Modules in C may have been loaded since. What a module in Lua holds is made by code, and so is a
      -- userdata: the same name may stand for something else in the next run.
      if type(value) ~= "function" then return end
      local found
      -- A look-up compares without metamethods.
      local same = {[value] = true}
      for name, module in next, loaded do
        if loaded_code(name) or standard[name] then
          -- No module in C.
        elseif same[module] then
          found = name
        elseif type(module) == "table" then
          for key, field in next, module do
            local full = type(key) == "string" and same[field] and name .. "." .. key
            if full and (not found or full < found) then found = full end
          end
        end
      end
      return found
    end

    -- Their results count, not what they are.
    local questions = {sources = true, outputs = true, depfile = true, fingerprint = true}

    return function(definition)
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
        local index = 1
        -- What the function reaches: globals by name, all of them as a table, and the like.
        local uses_globals, has_table, requires, loads, reaches_commands
        if string_methods then variable("the methods of strings", string_methods) end
        while true do
          local name, inner = upvalue(value, index)
          if not name then break end
          if inner == globals or inner == no_globals then
            uses_globals = true
            if name ~= "_ENV" or fetched[index] then has_table = true end
          else
            if inner == nil then
            elseif inner == require then requires = true
            elseif inner == dofile or inner == loadfile then loads = true
            elseif inner == globals.rac or libraries[inner] == "rac.commands" then
              reaches_commands = libraries[inner] == "rac.commands" or reaches_commands
            end
            variable("'" .. name .. "'", inner)
          end
          index = index + 1
        end
        for _, name in next, strings do
          if name == "commands" then reaches_commands = true end
          if uses_globals then
            if name == "require" or name == "package" then requires = true
            elseif name == "dofile" or name == "loadfile" then loads = true
            elseif name == "_G" then has_table = true end
          end
        end
        local finds_file, finds_command
        for _, name in next, strings do
          if uses_globals and not standard[name] then
            local inner = globals[name]
            if inner ~= nil then variable("'" .. name .. "'", inner) end
          end
          local chunk = requires and not standard[name] and chunk_of(name)
          if chunk then variable("the module '" .. name .. "'", chunk) end
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
            if kind == "function" and pcall(dump, inner, true)
              or kind == "table" and not libraries[inner]
            then
              variable("'" .. title .. "." .. name .. "'", inner)
            end
          end
        end
        if has_table and computes_keys then
          cannot_see("globals whose names are computed", "write their names")
        end
        if loads and not finds_file then
          cannot_see("a file that is loaded by a computed name", "name it in 'sources'")
        end
        if reaches_commands and not finds_command and computes_keys then
          cannot_see("a command whose name is computed", "write its name")
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
            describe(value[key], out, seen)
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
      return parts, incomparable, lazies
    end
    """
}
