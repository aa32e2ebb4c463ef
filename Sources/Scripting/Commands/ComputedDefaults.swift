import LuaRuntime
import Platform
import Reactive

/// Defaults of parameters that are computed when an execution begins: by `rac.lazy`, once, or by a
/// function of the other parameters, each time.
extension ScriptCommand {
  /// The parameters with a computed default that an input does not give, in order.
  func uncomputed(in input: LuaValue) -> [Parameter] {
    let computed = parameters.filter(\.isComputed)
    guard !computed.isEmpty else { return [] }
    let given = host.fields(of: input) ?? []
    return computed.filter { parameter in !given.contains { $0.name == parameter.name } }
  }

  /// Calls `done` with the input and the computed defaults of what it does not give: at once if there
  /// are none.
  ///
  /// - Parameter execution: the execution that functions of defaults work for; nil for none.
  func complete(
    _ input: LuaValue, for execution: ScriptExecution?, in subscription: CompoundDisposable,
    _ done: @escaping (Result<LuaValue, any Error>) -> Void
  ) {
    let missing = uncomputed(in: input)
    guard let parameter = missing.first else { return done(.success(input)) }
    let proceed = { [self] (value: Result<LuaValue, any Error>) in
      do {
        let value = try checkedDefault(value.get(), of: parameter)
        let input = host.table(input, setting: parameter.name, to: value)
        complete(input, for: execution, in: subscription, done)
      } catch {
        done(.failure(error))
      }
    }
    let source = host.value { stack in
      guard stack.pushUserValue(node.anchor, CommandDefinition.Slot.computed) == .table else {
        return
      }
      stack.rawGet(parameter.name, at: -1)
    }
    if let object = host.lazyObject(source) {
      return host.compute(object, in: subscription, proceed)
    }
    do {
      var place = try place(with: input, for: execution?.caller ?? host.caller)
      Secrets.add(place.variables)
      (place.isInteractive, place.hasTerminal) = (false, false)
      host.within(Purpose(execution: execution, surroundings: Surroundings(place))) {
        call(source, with: input, in: subscription, proceed)
      }
    } catch {
      done(.failure(error))
    }
  }

  /// Calls the function of a default with the input.
  private func call(
    _ function: LuaValue, with input: LuaValue, in subscription: CompoundDisposable,
    _ done: @escaping (Result<LuaValue, any Error>) -> Void
  ) {
    let calling = subscription.makeChild()
    var result = LuaValue.nil
    let run = CoroutineRun(
      host,
      Observer(
        next: onLoop { result = $0 },
        end: onLoop { termination in
          calling.dispose()
          switch termination {
          case .completed: done(.success(result))
          case .error(let error): done(.failure(error))
          }
        }), calling, resultUse: .signalOrValue)
    run.refuse(.mistakes)
    run.start(function) { stack in
      stack.push(input)
      return 1
    }
  }

  /// Checks a computed default; a text counts as it would on a command line.
  private func checkedDefault(_ value: LuaValue, of parameter: Parameter) throws -> LuaValue {
    do {
      let text = value.stringValue?.exactText
      let checked = try text.map(parameter.value) ?? parameter.checked(value)
      if isSecret(parameter), let bytes = checked.argumentBytes { Secrets.add(bytes) }
      return checked
    } catch {
      if isSecret(parameter), let bytes = value.argumentBytes { Secrets.add(bytes) }
      throw SourceLocation(text: position).failure("the computed default is wrong: \(error)")
    }
  }
}

extension TableFields {
  /// True if a field is a function or a value of `rac.lazy`.
  func hasComputed(_ name: String) -> Bool {
    let type = stack.rawGet(name, at: index)
    defer { stack.pop() }
    return type == .function || stack.lazyText(at: -1) != nil
  }
}

extension ScriptHost {
  /// Returns a copy of a table, or a new one, with a field set.
  fileprivate func table(_ table: LuaValue, setting name: String, to value: LuaValue) -> LuaValue {
    self.value { stack in
      stack.newTable()
      let copy = stack.top
      if table.type == .table {
        stack.push(table)
        try? stack.forEachPair(at: -1) { stack throws(LuaError) in
          let key = stack.value(at: -2)
          stack.push(key)
          stack.copy(from: stack.top - 1)
          try stack.rawSet(at: copy)
          return true
        }
        stack.pop()
      }
      stack.set(name, value, at: copy)
    }
  }
}
