import LuaRuntime
import Platform
import RunnerCore
import Scripting

/// The state that the entries of a session share: an environment before the globals, for their
/// locals and for `_` and `_error`.
///
/// A variable that an entry declares again is a new one: functions of earlier entries keep the old
/// one. Therefore such an entry and those after it have an environment of their own, which leads to
/// the variables that were declared once.
///
/// It is written in Lua, and made when the first script, entry or key needs it: the first prompt does
/// not wait for that.
struct SessionEnvironment: Sendable {
  /// What the source returns.
  private struct Parts {
    /// The first environment, which holds `_`, `_12` and the variables that were declared once.
    let base: LuaReference
    /// The table that holds each variable of the latest environment, by name.
    let homes: LuaReference
    /// A table with the names of the globals that entries have assigned to.
    let assigned: LuaReference
    /// Returns the latest environment.
    let latest: LuaReference
    let dump: LuaReference
    let declare: LuaReference
    let pack: LuaReference
    let repeated: LuaReference
    let allocation: LuaReference
    /// Returns an environment with the variables of a frame, which assignments change.
    let inspected: LuaReference
  }

  private final class Made {
    var parts: Parts?
  }

  private let host: ScriptHost
  private let made = LoopBound(Made())
  /// The globals, which the environment falls back to.
  let globals: LuaReference

  var interpreter: LuaInterpreter { host.interpreter }

  private static let source = """
    local _, pack, rawset, setmetatable, globals, rawget, next, error, pcall, collectgarbage,
      _, dump = ...
    local homes, base, assigned = {}, {}, {}
    -- Constants have a table each, which tells whether they have their value yet.
    local constants = setmetatable({}, {__mode = "k"})
    local function attach(environment, homes)
      return setmetatable(environment, {
        __index = function(_, name)
          local home = homes[name]
          if home then return rawget(home, name) end
          local value = rawget(base, name)
          if value ~= nil then return value end
          return globals[name]
        end,
        __newindex = function(_, name, value)
          local home = homes[name]
          if not home then
            globals[name] = value
            rawset(assigned, name, true)
            return
          end
          if constants[home] == "set" then
            error("attempt to assign to const variable '" .. name .. "'", 2)
          end
          if constants[home] then constants[home] = "set" end
          rawset(home, name, value)
        end,
      })
    end
    local current = attach(base, homes)
    homes._, homes._error = base, base
    local function declare(...)
      local names = pack(...)
      for i = 1, names.n, 2 do
        local name = names[i]
        if homes[name] and name ~= "_" and name ~= "_error" then
          local former = {}
          for name, home in next, homes do former[name] = home end
          attach(current, former)
          current = attach({}, homes)
          break
        end
      end
      for i = 1, names.n, 2 do
        local name, home = names[i], current
        -- Until it has its value, the name means what it meant before.
        local outer = rawget(homes[name] or globals, name)
        if names[i + 1] then
          home = {}
          constants[home] = "open"
        end
        if name == "_" or name == "_error" then home = base end
        homes[name] = home
        rawset(home, name, outer)
      end
    end
    local function latest() return current end
    local function repeated(f, count) for _ = 1, count do f() end end
    local function growth(f)
      local before = collectgarbage("count")
      local succeeds = pcall(f)
      return succeeds and collectgarbage("count") - before or nil
    end
    local function allocation(f)
      local function nothing() end
      growth(nothing)
      collectgarbage()
      collectgarbage("stop")
      local own, all = growth(nothing), growth(f)
      collectgarbage("restart")
      return all and all - own
    end
    -- Names and values of variables, of which the first of a name counts.
    local function inspected(outer, ...)
      local slots, values = {}, pack(...)
      for i = values.n - 1, 1, -2 do slots[values[i]] = i + 1 end
      return setmetatable({}, {
        __index = function(_, name)
          local slot = slots[name]
          if slot then return values[slot] end
          return (outer or current)[name]
        end,
        __newindex = function(_, name, value)
          local slot = slots[name]
          if slot then values[slot] = value else (outer or current)[name] = value end
        end,
      })
    end
    return base, homes, assigned, latest, dump, declare,
      function(line) return pack(line()) end, repeated, allocation, inspected
    """

  init(_ host: ScriptHost) throws {
    self.host = host
    guard let globals = host.libraryPart("_G").referenceValue else {
      throw LuaError("the interpreter has closed")
    }
    self.globals = globals
    // Errors of finalisers are warnings.
    if let warn = host.libraryPart("warn").referenceValue {
      try interpreter.call(warn, .string("@on"))
    }
  }

  /// Makes the environment, unless it exists.
  func prepare() throws(LuaError) {
    guard made.value.parts == nil else { return }
    let parts = try host.runOwn(Self.source, chunkName: "=[repl]").compactMap(\.referenceValue)
    precondition(parts.count == 10, "the source returns ten values")
    made.value.parts = Parts(
      base: parts[0], homes: parts[1], assigned: parts[2], latest: parts[3], dump: parts[4],
      declare: parts[5], pack: parts[6], repeated: parts[7], allocation: parts[8],
      inspected: parts[9])
  }

  /// Its parts; nil if they cannot be made now, as during an interrupt.
  private var parts: Parts? {
    try? prepare()
    return made.value.parts
  }

  /// Its parts, for code that exists only if an entry has been compiled.
  private var existing: Parts {
    guard let parts = made.value.parts else { preconditionFailure("nothing has been compiled") }
    return parts
  }

  var latest: LuaReference { existing.latest }
  var dump: LuaReference { existing.dump }
  var declare: LuaReference { existing.declare }
  /// Calls a function and returns its results as one table.
  var pack: LuaReference { existing.pack }
  /// Calls a function a number of times.
  var repeated: LuaReference { existing.repeated }
  /// Calls a function and returns the number of KiB that it has allocated.
  var allocation: LuaReference { existing.allocation }

  /// Returns an environment in which names mean the variables of a frame, and behind them its
  /// globals; nil if there is no memory for it.
  func variables(of frame: LuaKeptFailure.Frame) -> LuaValue? {
    let locals = frame.variables[..<frame.localCount].reversed()
    let variables = Array(locals) + frame.variables[frame.localCount...]
    let slots = variables.flatMap { [LuaValue.string(LuaString(utf8: $0.name)), $0.value] }
    return try? interpreter.call(
      .reference(existing.inspected), [frame.environment] + slots
    ).first
  }

  // MARK: Variables

  /// Sets `_error` or one of the values that the session keeps.
  func set(_ name: String, _ value: LuaValue) {
    guard let parts else { return }
    _ = interpreter.withStack { stack in
      stack.push(parts.base)
      stack.push(value)
      stack.rawSet(name, at: -2)
    }
  }

  /// The value of a variable of the session; nil if it has none.
  func variable(_ name: String) -> LuaValue? {
    guard let parts else { return nil }
    let value = interpreter.withStack { stack in
      stack.push(parts.homes)
      if stack.rawGet(name, at: -1) == .nil {
        stack.pop()
        stack.push(parts.base)
      }
      stack.rawGet(name, at: -1)
      return stack.value(at: -1)
    }
    guard let value, !value.isNil else { return Optional.none }
    return value
  }

  /// The names of the variables that entries have declared, and `_` and `_error`.
  var names: [String] { names(in: parts?.homes) }

  /// Returns a text of Lua in which the locals of the session are called locals: to Lua, which sees a
  /// table behind them, they are globals.
  func withLocals(_ text: String) -> String {
    guard text.contains("global '") else { return text }
    return names.reduce(text) { $0.replacing("global '\($1)'", with: "local '\($1)'") }
  }

  /// The names of the globals that entries have assigned to.
  var assignedGlobals: [String] { names(in: parts?.assigned) }

  private func names(in table: LuaReference?) -> [String] {
    guard let table else { return [] }
    var names: [String] = []
    _ = interpreter.withStack { stack in
      stack.push(table)
      try? stack.forEachPair(at: -1) { stack throws(LuaError) in
        if let name = stack.string(at: -2) { names.append(name) }
        return true
      }
    }
    return names
  }

  /// The number of entries whose values are kept.
  static let valueMemory = 1_000

  /// Sets `_` and the value of an entry, `_12`, to its latest result. Values of old entries are
  /// dropped.
  func setLast(_ value: LuaValue, ofEntry number: Int) {
    set("_", value)
    set("_\(number)", value)
    if number > Self.valueMemory { set("_\(number - Self.valueMemory)", .nil) }
  }

  /// Returns the results from a table that `pack` created.
  func unpack(_ packed: LuaValue) -> [LuaValue] {
    interpreter.withStack { stack in
      stack.push(packed)
      guard stack.type(at: -1) == .table else { return [] }
      stack.rawGet("n", at: -1)
      let count = Int(stack.integer(at: -1) ?? 0)
      stack.pop()
      return (0..<count).map { position in
        stack.rawGet(position + 1, at: -1)
        defer { stack.pop() }
        return stack.value(at: -1)
      }
    } ?? []
  }
}
