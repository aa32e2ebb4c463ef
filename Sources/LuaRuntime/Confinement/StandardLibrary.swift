import CLuaShims

/// The members of Lua's own library with the capabilities that each needs. A confined interpreter
/// refuses any member that is not listed, so that a newer Lua adds nothing by itself.
enum StandardLibrary {
  struct Member: Sendable {
    let needs: Capabilities
    let guarding: rac_lua_guard

    init(_ needs: Capabilities, _ guarding: rac_lua_guard = RAC_LUA_GUARD_ALL) {
      self.needs = needs
      self.guarding = guarding
    }
  }

  /// The members by library name; `_G` stands for the globals.
  static let members: [String: [String: Member]] = [
    "_G": harmless(
      "_G", "_VERSION", "assert", "collectgarbage", "error", "getmetatable", "ipairs", "load",
      "next", "pairs", "pcall", "rawequal", "rawget", "rawlen", "rawset", "require", "select",
      "tonumber", "tostring", "type", "xpcall", "coroutine", "debug", "io", "math", "os", "package",
      "string", "table", "utf8"
    ).merging([
      "print": Member(.output), "warn": Member(.output),
      "loadfile": Member(.files, RAC_LUA_GUARD_LOAD_FILE),
      "dofile": Member(.files, RAC_LUA_GUARD_DO_FILE),
      "setmetatable": Member([], RAC_LUA_GUARD_SET_METATABLE),
    ]) { $1 },
    "coroutine": harmless(
      "close", "create", "isyieldable", "resume", "running", "status", "wrap", "yield"),
    "debug": [
      "getinfo": Member(.introspection, RAC_LUA_GUARD_GET_INFO),
      "traceback": Member(.introspection),
    ].merging(
      members(
        .unsafeCode, "debug", "gethook", "getlocal", "getmetatable", "getregistry", "getupvalue",
        "getuservalue", "setcstacklimit", "sethook", "setlocal", "setmetatable", "setupvalue",
        "setuservalue", "upvalueid", "upvaluejoin")
    ) { $1 },
    "io": members(
      .files, "close", "flush", "input", "lines", "read", "stderr", "stdin", "stdout", "type",
      "write"
    ).merging([
      "open": Member(.files, RAC_LUA_GUARD_OPEN), "output": Member(.files, RAC_LUA_GUARD_OUTPUT),
      "popen": Member([.files, .processes]), "tmpfile": Member([.files, .fileChanges]),
    ]) { $1 },
    "math": harmless(
      "abs", "acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "deg", "exp", "floor", "fmod",
      "frexp",
      "huge", "ldexp", "log", "log10", "max", "maxinteger", "min", "mininteger", "modf", "pi",
      "pow", "rad", "random", "randomseed", "sin", "sinh", "sqrt", "tan", "tanh", "tointeger",
      "type", "ult"),
    "os": members(.time, "clock", "date", "difftime", "time")
      .merging(members(.fileChanges, "remove", "rename", "tmpname")) { $1 }
      .merging(members(.environment, "getenv", "setlocale")) { $1 }
      .merging(["execute": Member(.processes), "exit": Member(.exit)]) { $1 },
    "package": harmless("config", "cpath", "loaded", "path", "preload").merging([
      "loadlib": Member(.unsafeCode), "searchers": Member(.introspection),
      "searchpath": Member(.files),
    ]) { $1 },
    "string": harmless(
      "byte", "char", "find", "format", "gmatch", "gsub", "len", "lower", "match", "pack",
      "packsize", "rep", "reverse", "sub", "unpack", "upper"
    ).merging(["dump": Member(.introspection)]) { $1 },
    "table": harmless("concat", "insert", "move", "pack", "remove", "sort", "unpack"),
    "utf8": harmless("char", "charpattern", "codepoint", "codes", "len", "offset"),
  ]

  private static func harmless(_ names: String...) -> [String: Member] {
    Dictionary(uniqueKeysWithValues: names.map { ($0, Member([])) })
  }

  private static func members(_ needs: Capabilities, _ names: String...) -> [String: Member] {
    Dictionary(uniqueKeysWithValues: names.map { ($0, Member(needs)) })
  }
}

extension StandardLibrary {
  /// Confines the library of an interpreter before any script has run.
  static func confine(
    _ interpreter: LuaInterpreter, _ confinement: Confinement, hostGlobals: Set<String>
  ) {
    _ = interpreter.withStack { stack in
      ModuleSearch.install(on: stack, confinement)
      lua_rawgeti(stack.state, rac_lua_registry_index(), Int64(LUA_RIDX_GLOBALS))
      let globals = stack.top
      for (library, members) in members where library != "_G" {
        guard stack.rawGet(library, at: globals) == .table else {
          stack.pop()
          continue
        }
        // `require` continues to use its own table, which scripts cannot reach.
        if library == "package", confinement.refusal == .absent {
          stack.copyTable()
          // The search paths contain the names of the user's folders.
          for field in ["path", "cpath"] { stack.set(field, .string(""), at: -1) }
        }
        let isEmpty = confine(
          stack, library, members, at: stack.top, confinement, hostGlobals: [])
        if isEmpty {
          stack.pop()
          stack.pushNil()
        }
        setLibrary(library, on: stack, globals)
      }
      guard let members = members["_G"] else { return }
      _ = confine(stack, "_G", members, at: globals, confinement, hostGlobals: hostGlobals)
      if confinement.refusal == .absent { rac_lua_hide_string_metatable(stack.state) }
    }
  }

  /// Installs the top value as the library with a name, for globals and `require`. [-1, +0]
  private static func setLibrary(_ name: String, on stack: LuaStack, _ globals: Int) {
    stack.copy(from: -1)
    stack.rawSet(name, at: globals)
    rac_lua_push_package(stack.state)
    if stack.rawGet("loaded", at: -1) == .table {
      stack.copy(from: -3)
      stack.rawSet(name, at: -2)
    }
    stack.pop(3)
  }

  /// Confines the members of one table, and returns true if none is left.
  private static func confine(
    _ stack: LuaStack, _ library: String, _ members: [String: Member], at table: Int,
    _ confinement: Confinement, hostGlobals: Set<String>
  ) -> Bool {
    var isEmpty = true
    for name in TableNames(stack, table).all where !hostGlobals.contains(name) {
      let type = stack.rawGet(name, at: table)
      guard let member = members[name], member.isPresent(under: confinement) else {
        stack.pop()
        stack.set(name, .nil, at: table)
        continue
      }
      isEmpty = false
      let isGuarded =
        !member.needs.isSubset(of: confinement.granted) || member.guarding != RAC_LUA_GUARD_ALL
      guard type == .function, isGuarded else {
        stack.pop()
        continue
      }
      let fullName = library == "_G" ? name : "\(library).\(name)"
      rac_lua_push_guard(stack.state, fullName, member.needs.rawValue, member.guarding)
      stack.rawSet(name, at: table)
    }
    return isEmpty
  }
}

extension StandardLibrary.Member {
  fileprivate func isPresent(under confinement: Confinement) -> Bool {
    switch confinement.refusal {
    case .absent: needs.isSubset(of: confinement.granted)
    case .explained: true
    }
  }
}

/// The names in a table, read before the table is changed.
private struct TableNames {
  private(set) var all: [String] = []

  init(_ stack: LuaStack, _ table: Int) {
    var names: [String] = []
    // Iterating over a table raises only for a key that is not in it.
    try? stack.forEachPair(at: table) { stack throws(LuaError) in
      if let name = stack.string(at: -2) { names.append(name) }
      return true
    }
    all = names
  }
}

extension LuaStack {
  /// Replaces the top table by a copy of its fields, raw. [-1, +1] needs 9
  fileprivate func copyTable() {
    let original = top
    newTable()
    for name in TableNames(self, original).all {
      rawGet(name, at: original)
      rawSet(name, at: original + 1)
    }
    remove(at: original)
  }
}
