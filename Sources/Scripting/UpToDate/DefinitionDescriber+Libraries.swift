extension DefinitionDescriber {
  /// What the describer knows of Lua's library and of ours, to which scripts may add.
  static let libraries = """
    local introspection, code_of, module, lazy_parts, file, commands, loaded_code, loaded = ...
    local dump, upvalue, metatable_of, load, sort, math_type, pcall, type, next, tostring, concat,
      format, byte, globals = introspection()
    local raw = globals.rawget
    -- The environment of modules that are only read.
    local no_globals = {}
    local require, dofile, loadfile = globals.require, globals.dofile, globals.loadfile
    local pairs = globals.pairs
    local scalar = {string = true, number = true, boolean = true}

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

    -- True if scripts have added functions to a library: those of Lua and ours are in C.
    local function is_extended(library)
      for _, value in next, library do
        if type(value) == "function" and pcall(dump, value, true) then return true end
      end
      return false
    end

    -- True for a text that could be the name of a module, rather than a part of one.
    local function may_name_module(name)
      if name == "require" or name == "package" then return false end
      local last = byte(name, -1)
      return last and last ~= 46 and last ~= 47 and (standard[name] or raw(globals, name) == nil)
    end

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


    """
}
