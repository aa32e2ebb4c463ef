import LuaRuntime
import Reactive

extension CommandDefinition {
  /// Returns the condition in a field: a live signal, or a function.
  func condition(
    _ field: String, at index: Int, _ node: SignalNode, isNamed: Bool
  ) throws -> EnabledCondition {
    let slot = field == "enabled" ? Slot.enabled : Slot.precondition
    switch call.stack.type(at: index) {
    case .nil, .none: return .always(host)
    case .function: return .asked(node.callback(slot), in: host)
    default:
      guard let object = call.stack.object(at: index, Userdata.signal) else {
        throw bad(
          "field '\(field)' must be a signal or a function, got "
            + call.stack.type(at: index).name + formMeant(by: call.value(at: index), as: field))
      }
      host.noteObserved(object)
      return .live(
        object.signal, in: host,
        isDeferred: host.defersConditions && isNamed && !object.dependsOnSubject)
    }
  }

  /// The end of a message about a condition of another type: the form that works, as far as it is known
  /// what was meant.
  private func formMeant(by value: LuaValue, as field: String) -> String {
    switch value {
    case .bool(let bool): return "; \(field) = rac.just(\(bool)) never changes"
    case .string(let text):
      guard let written = host.writtenDefinition(), let tokens = written.table[field].last else {
        return ""
      }
      if tokens.count == 1, written.code.tokens[tokens.lowerBound].kind == .string {
        let line = LuaLiteral.text(text.exactText, limit: .max)
        return
          "; \(field) = function() return os.execute(\(line)) == true end asks the shell each time"
      }
      return written.code.condition(askingFor: tokens).map { "; \(field) = \($0) asks each time" }
        ?? ""
    default: return ""
    }
  }
}
