import LuaRuntime
import RunnerCore
import Scripting

/// The input of a press, as its client gave it.
enum PressedInput {
  /// A JSON document; nil for that of no arguments.
  case json(String?)
  /// The words of a command line, by the names of the parameters to which they belong.
  case words([(name: String, words: [String])])

  init(json: String?) { self = .json(json) }

  /// Reads the field `input`, or `arguments`, of a request.
  init(_ body: JSONBody) throws(APIError) {
    guard let arguments = body["arguments"] else {
      self = .json(body["input"]?.text)
      return
    }
    guard body["input"] == nil else {
      throw .request("the input is given by 'input' or by 'arguments', not by both")
    }
    guard case .object(let fields) = arguments else { throw Self.noTexts }
    self = .words(
      try fields.map { name, value throws(APIError) in (name, try Self.words(value)) })
  }

  private static func words(_ value: JSONValue) throws(APIError) -> [String] {
    switch value {
    case .string(let word): return [word]
    case .list(let values):
      return try values.map { value throws(APIError) in
        guard case .string(let word) = value else { throw noTexts }
        return word
      }
    default: throw noTexts
    }
  }

  private static var noTexts: APIError {
    .request("field 'arguments' must be an object of strings and lists of strings")
  }
}

extension Panel {
  /// The value of an input, checked and with defaults.
  ///
  /// - Throws: `APIError` with the message of the command line, and the parameter's name.
  func value(
    of input: PressedInput, for command: ScriptCommand
  ) throws(APIError) -> LuaValue {
    do throws(InputError) {
      switch input {
      case .json(nil): return try command.input(from: [])
      case .json(let json?): return try command.checked(try workspace.host.value(json: json))
      case .words(let words): return try command.input(byName: words)
      }
    } catch {
      command.hideSecrets(of: error)
      throw APIError(
        422, "input", "\(command.name): \(error)",
        error.parameter.map { [("field", .string($0))] } ?? [])
    }
  }

  /// The input as a JSON document, for those who execute it elsewhere; nil for that of no arguments.
  func json(
    of input: PressedInput, for command: ScriptCommand, _ value: LuaValue
  ) throws(APIError) -> String? {
    if case .json(let json) = input { return json }
    do throws(LuaError) { return try workspace.host.json(value) } catch {
      throw APIError(422, "input", "\(command.name): \(error)")
    }
  }
}
