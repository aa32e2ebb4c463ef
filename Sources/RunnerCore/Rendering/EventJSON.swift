import LuaRuntime
import Platform
import Scripting

/// Events as JSON, by the schema in `events.schema.json`.
package enum EventJSON {
  /// A field of an event, encoded; nil if the event lacks it.
  package typealias Field = (name: String, text: String?)

  private static let ends: Set = ["completed", "error", "cancelled", "skipped"]

  /// Returns true if no event of the same execution follows one of this type.
  package static func isEnd(_ type: String) -> Bool { ends.contains(type) }

  /// Returns an event on one line, without a newline.
  package static func text(_ number: Int, _ type: String, _ fields: [Field]) -> String {
    "{\"v\":1,\"seq\":\(number)," + content(type, fields)
  }

  /// Returns an event that has no number yet.
  package static func text(_ type: String, _ fields: [Field]) -> String {
    "{" + content(type, fields)
  }

  private static func content(_ type: String, _ fields: [Field]) -> String {
    var line = "\"ts\":\(clockText()),\"type\":\"\(type)\""
    for (name, text) in fields {
      if let text { line += ",\"\(name)\":\(text)" }
    }
    return line + "}"
  }

  /// Returns a value as JSON, with secrets masked; Lua's text of a value that JSON cannot represent.
  package static func text(of value: LuaValue, _ host: ScriptHost) -> String {
    (try? encoded(value, host)) ?? described(value, host)
  }

  /// Returns the same, and why a table has no other text; nil for what JSON can represent, and for what is
  /// shown as Lua's text.
  static func textOrProblem(
    of value: LuaValue, _ host: ScriptHost
  ) -> (text: String, problem: String?) {
    do throws(LuaError) { return (try encoded(value, host), nil) } catch {
      let isTold = value.type == .table && !error.isInterrupt
      return (described(value, host), isTold ? "\(error)" : nil)
    }
  }

  /// Returns a value as JSON, with secrets masked.
  ///
  /// - Throws: `LuaError` for a value that JSON cannot represent.
  static func encoded(_ value: LuaValue, _ host: ScriptHost) throws(LuaError) -> String {
    let document = try host.jsonValue(value)
    return (document.masked ?? document).text
  }

  /// Returns Lua's text of a value as JSON, with secrets masked.
  static func described(_ value: LuaValue, _ host: ScriptHost) -> String {
    JSONValue.string(Secrets.masked(host.outputText(of: value))).text
  }

  /// Returns the bytes of a string that is not UTF-8, in Base64, because JSON cannot contain them.
  static func base64(of value: LuaValue) -> String? {
    guard case .string(let string) = value, string.text == nil else { return nil }
    let bytes = string.withUnsafeBytes { Secrets.masked($0) ?? Array($0) }
    return JSONValue.string(Base64.text(of: bytes)).text
  }

  /// Returns a failure as JSON, with secrets masked.
  package static func text(of failure: Failure) -> String {
    JSONValue.object(failure.masked.fields).text
  }

  /// Seconds since 1970.
  private static func clockText() -> String {
    var clock = timespec()
    clock_gettime(CLOCK_REALTIME, &clock)
    let micros = String(clock.tv_nsec / 1000)
    return "\(clock.tv_sec)." + String(repeating: "0", count: 6 - micros.count) + micros
  }
}
