import LuaRuntime

/// A call of the library in a place or with arguments that do not allow its work; raised in Lua
/// with the place of the call, as Lua's own messages are.
enum APIUsageError: Error {
  case waitInCallback
  case waitOutsideCoroutine
  case waitWhileClosing
  case undefinedCommand
  case duplicateCommand(name: String, here: String?, there: String?)
  case variableName(String)
  case variableValue(String, LuaType)
  case uncomputedVariable(for: String)
  case fieldType(String, LuaType, got: LuaType)
}

extension APIUsageError: CustomStringConvertible {
  /// The message without a place.
  var description: String {
    switch self {
    case .waitInCallback:
      "cannot wait inside a synchronous callback; return a signal from flat_map instead, or wait in rac.async"
    case .waitOutsideCoroutine:
      "cannot wait here: no coroutine of the library is running; wait in rac.async"
    case .waitWhileClosing:
      "cannot wait while a coroutine is being closed; use calls that do not wait, such as os.remove or os.execute"
    case .undefinedCommand:
      "the command was not defined"
    case .duplicateCommand(let name, let here, let there):
      "command '\(name)' is defined at \(here ?? "?") and at \(there ?? "?")"
    case .variableName(let name):
      "a variable cannot be named '\(name)'"
    case .variableValue(let name, let type):
      "the variable '\(name)' cannot be set to a \(type.name)"
        + (type == .string ? " with a zero byte" : "")
    case .uncomputedVariable(let function):
      "\(function) cannot wait for a variable in 'env' that rac.lazy computes; call the value before it"
    case .fieldType(let name, let expected, let got):
      "field '\(name)' must be a \(expected.name), got \(got.name)"
    }
  }
}

extension APIUsageError {
  /// Returns the error for Lua.
  func error(at place: String?) -> LuaError {
    LuaError(place.map { "\($0): \(self)" } ?? "\(self)")
  }
}
