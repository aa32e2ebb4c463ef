@testable import Scripting

/// Arguments that a function of the library takes, as Lua writes them.
struct SampleArguments {
  let function: APIFunction
  /// What stands for functions.
  var callback: (_ position: Int) -> String = { _ in "function(...) return ... end" }

  /// One for each parameter, of a variadic one two.
  var texts: [String] {
    function.parameters.enumerated().flatMap { position, parameter in
      let text = text(of: parameter.type, at: position)
      return parameter.isVariadic ? ["rac.just(1)", text] : [text]
    }
  }

  /// The positions of the parameters that may be functions.
  var callbackPositions: [Int] {
    function.parameters.indices.filter { function.parameters[$0].type.mayBeFunction }
  }

  private func text(of type: APIType, at position: Int) -> String {
    if type.mayBeFunction { return callback(position) }
    switch type {
    case .any: return "1"
    case .boolean: return "true"
    case .integer: return "1"
    case .number: return "0.001"
    case .string: return "'[1]'"
    case .table: return "{rac.just(1)}"
    case .function: return callback(position)
    case .object(let kind):
      switch kind {
      case .subject: return "rac.subject()"
      case .scheduler: return "rac.scheduler.main"
      default: return "rac.just(1)"
      }
    case .either(let one, _): return text(of: one, at: position)
    case .noted(let type, _): return text(of: type, at: position)
    }
  }
}

extension APIType {
  /// Whether a function is one of the values it takes.
  var mayBeFunction: Bool {
    switch self {
    case .function: true
    case .either(let one, let other): one.mayBeFunction || other.mayBeFunction
    case .noted(let type, _): type.mayBeFunction
    default: false
    }
  }
}
